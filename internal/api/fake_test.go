package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/detent-run/detent/internal/api/apitest"
	"github.com/detent-run/detent/internal/engine"
)

// fake is a service of which a test fills in what it calls. A call of anything else panics, and so
// shows as a status 500 that no test expects.
type fake struct {
	register     func(name string, document []byte, yaml bool) (engine.Registered, error)
	validate     func(document []byte, yaml bool) ([]engine.Fault, error)
	definitions  func(token string, limit int) ([]engine.DefinitionView, string, error)
	versions     func(name, token string, limit int) ([]engine.DefinitionView, string, error)
	definition   func(name string, version int) (engine.DefinitionView, error)
	create       func(r engine.CreateRequest) (string, bool, error)
	awaitStart   func(ctx context.Context, id string) (engine.MachineView, error)
	machine      func(id string) (engine.MachineView, error)
	machines     func(q engine.MachineQuery) ([]engine.MachineView, string, error)
	send         func(id, eventID string, event []byte) (engine.Accepted, error)
	sendBatch    func(body []byte, lines bool) ([]engine.BatchResult, error)
	awaitApplied func(ctx context.Context, id string, a engine.Accepted) (engine.Applied, bool, error)
	history      func(id string, after int64, limit int) ([]engine.HistoryView, bool, error)
	timers       func(id string, limit int) ([]engine.TimerView, error)
	readiness    func() error
}

var _ engine.Service = (*fake)(nil)

func (f *fake) Register(_ context.Context, name string, document []byte, yaml bool) (engine.Registered, error) {
	return f.register(name, document, yaml)
}

func (f *fake) Validate(_ context.Context, document []byte, yaml bool) ([]engine.Fault, error) {
	return f.validate(document, yaml)
}

func (f *fake) Definitions(_ context.Context, token string, limit int) ([]engine.DefinitionView, string, error) {
	return f.definitions(token, limit)
}

func (f *fake) Versions(_ context.Context, name, token string, limit int) ([]engine.DefinitionView, string, error) {
	return f.versions(name, token, limit)
}

func (f *fake) Definition(_ context.Context, name string, version int) (engine.DefinitionView, error) {
	return f.definition(name, version)
}

func (f *fake) Create(_ context.Context, r engine.CreateRequest) (string, bool, error) {
	return f.create(r)
}

func (f *fake) AwaitStart(ctx context.Context, id string) (engine.MachineView, error) {
	return f.awaitStart(ctx, id)
}

func (f *fake) Machine(_ context.Context, id string) (engine.MachineView, error) {
	return f.machine(id)
}

func (f *fake) Machines(_ context.Context, q engine.MachineQuery) ([]engine.MachineView, string, error) {
	return f.machines(q)
}

func (f *fake) Send(_ context.Context, id, eventID string, event []byte) (engine.Accepted, error) {
	return f.send(id, eventID, event)
}

func (f *fake) SendBatch(_ context.Context, body []byte, lines bool) ([]engine.BatchResult, error) {
	return f.sendBatch(body, lines)
}

func (f *fake) AwaitApplied(ctx context.Context, id string, a engine.Accepted) (engine.Applied, bool, error) {
	return f.awaitApplied(ctx, id, a)
}

func (f *fake) History(_ context.Context, id string, after int64, limit int) ([]engine.HistoryView, bool, error) {
	return f.history(id, after, limit)
}

func (f *fake) Timers(_ context.Context, id string, limit int) ([]engine.TimerView, error) {
	return f.timers(id, limit)
}

func (f *fake) Ready(context.Context) error { return f.readiness() }

// setup serves the fake and returns a client that holds everything to the contract.
func setup(t *testing.T, f *fake, o Options) *apitest.Client {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	server := httptest.NewServer(New(f, o))
	t.Cleanup(server.Close)
	return apitest.New(t, server.URL)
}

// noon is the time of everything in these tests.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 1000, time.UTC)

// big is one more than the integers that a double can tell apart.
const big = `9007199254740993`

// order is a machine as the engine would show it.
func order(id string) engine.MachineView {
	return engine.MachineView{
		ID: id, Definition: "order", Version: 3, Status: "active",
		Value:   json.RawMessage(`{"payment":"open","delivery":{"pack":"idle"}}`),
		Context: json.RawMessage(`{"amount":` + big + `,"note":"a < b & c"}`),
		Tags:    []string{"waiting"}, Seq: 1, Now: &noon,
		Timers:   []engine.TimerView{{Event: "xstate.after.15m.order.open", Deadline: noon.Add(15 * time.Minute)}},
		Children: []engine.ChildView{{ID: "kyc", Src: "kyc"}},
		Labels:   json.RawMessage(`{"customer":"c-19"}`), Owner: "4", CreatedAt: noon, UpdatedAt: noon,
	}
}

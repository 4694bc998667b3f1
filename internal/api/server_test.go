package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/detent-run/detent/internal/engine"
)

// pipes is a listener without a network, so that a server can be tested under a false clock.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// post sends an event with a wait and returns the answer's status line and body, or what broke it.
func post(conn net.Conn, query string) string {
	const event = `{"type":"PAY"}`
	fmt.Fprintf(conn, "POST /v1/machines/x/events?%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", query, len(event), event)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(response.StatusCode, " ", string(body))
}

// serve runs Serve in a bubble, and returns how to stop it and what it returned.
func serve(t *testing.T, f *fake) (p *pipes, stop context.CancelFunc, returned chan error) {
	ctx, stop := context.WithCancel(t.Context())
	p, returned = newPipes(), make(chan error, 1)
	go func() { returned <- Serve(ctx, p, New(f, Options{}), slog.New(slog.DiscardHandler)) }()
	return p, stop, returned
}

// waits accepts any event and has its outcome when told to, or when the wait ends.
func waits(outcome <-chan engine.Applied) *fake {
	return &fake{
		send: func(string, string, []byte) (engine.Accepted, error) {
			return engine.Accepted{EventID: "c:1", AcceptedAt: noon}, nil
		},
		awaitApplied: func(ctx context.Context, _ string, _ engine.Accepted) (engine.Applied, bool, error) {
			select {
			case a := <-outcome:
				return a, true, nil
			case <-ctx.Done():
				return engine.Applied{}, false, nil
			}
		},
	}
}

// The longest wait outlasts every limit on reading a request.
func TestServeLongestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, stop, returned := serve(t, waits(nil))
		began := time.Now()
		if got := post(p.dial(), "wait=applied&timeout=1m"); !strings.HasPrefix(got, "202 ") {
			t.Errorf("answer %s", got)
		}
		if waited := time.Since(began); waited != maxWait {
			t.Errorf("waited %s", waited)
		}
		stop()
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}

// A server that stops does not keep anybody waiting: what is accepted is accepted.
func TestServeStopsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, stop, returned := serve(t, waits(nil))
		answer := make(chan string, 1)
		conn := p.dial()
		go func() { answer <- post(conn, "wait=applied&timeout=1m") }()
		synctest.Wait()
		began := time.Now()
		stop()
		if got := <-answer; !strings.HasPrefix(got, "202 ") || time.Since(began) != 0 {
			t.Errorf("after %s: %s", time.Since(began), got)
		}
		if err := <-returned; err != nil {
			t.Error(err)
		}
	})
}

// A request that does not end holds a stopping server up for so long and no longer.
func TestServeGivesUpOnRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, stop, returned := serve(t, &fake{send: func(string, string, []byte) (engine.Accepted, error) {
			<-release
			return engine.Accepted{}, nil
		}})
		conn := p.dial()
		answer := make(chan string, 1)
		go func() { answer <- post(conn, "") }()
		synctest.Wait()
		began := time.Now()
		stop()
		if err := <-returned; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != stopWithin {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		close(release)
		if got := <-answer; strings.HasPrefix(got, "202") {
			t.Errorf("answer %s", got)
		}
	})
}

// A listener that fails is an error, not the end of the service's time.
func TestServeFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, stop, returned := serve(t, &fake{})
		defer stop()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-returned; !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
	})
}

// A body that does not come is given up; so are headers.
func TestServeSlowRequests(t *testing.T) {
	t.Parallel()
	for sent, within := range map[string]time.Duration{
		"POST /v1/machines/x/events HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{": bodyWithin,
		"GET /healthz HTTP/1.1\r\nHo": headerWithin,
	} {
		synctest.Test(t, func(t *testing.T) {
			p, stop, returned := serve(t, &fake{})
			conn, began := p.dial(), time.Now()
			fmt.Fprint(conn, sent)
			got, _ := io.ReadAll(conn)
			if !strings.HasPrefix(string(got), "HTTP/1.1 400") && within == bodyWithin || strings.HasPrefix(string(got), "HTTP/1.1 2") || time.Since(began) < within || time.Since(began) > within+time.Second {
				t.Errorf("after %s: %s", time.Since(began), got)
			}
			stop()
			if err := <-returned; err != nil {
				t.Error(err)
			}
		})
	}
}

// Each call waits as long as it says, or as long as it does by default.
func TestWaitsEndInTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path string
		want time.Duration
	}{
		{"/v1/machines/x/events?wait=applied", eventWait},
		{"/v1/machines/x/events?wait=applied&timeout=500ms", 500 * time.Millisecond},
		{"/v1/machines/x/events", 0},
		{"/v1/machines", createWait},
		{"/v1/machines?timeout=1m", time.Minute},
		{"/v1/machines?wait=none", 0},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			f := waits(nil)
			f.create = func(engine.CreateRequest) (string, bool, error) { return "x", true, nil }
			f.machine = func(id string) (engine.MachineView, error) { return order(id), nil }
			f.awaitStart = func(ctx context.Context, id string) (engine.MachineView, error) {
				<-ctx.Done()
				return order(id), nil
			}
			w, began := httptest.NewRecorder(), time.Now()
			New(f, Options{}).ServeHTTP(w, httptest.NewRequest("POST", tt.path, strings.NewReader(`{}`)))
			if got := time.Since(began); got != tt.want || w.Code >= 300 {
				t.Errorf("%s: %d after %s, want %s", tt.path, w.Code, got, tt.want)
			}
		})
	}
}

// A caller who leaves ends the work for it, is not logged as a fault, and is counted apart.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	var status int
	ctx, leave := context.WithCancel(t.Context())
	f := waits(nil)
	f.awaitApplied = func(ctx context.Context, _ string, _ engine.Accepted) (engine.Applied, bool, error) {
		leave()
		<-ctx.Done()
		return engine.Applied{}, false, fmt.Errorf("await: %w", ctx.Err())
	}
	var log strings.Builder
	h := New(f, Options{
		Log:     slog.New(slog.NewTextHandler(&log, nil)),
		Observe: func(_ string, s int, _ time.Duration) { status = s },
	})
	r := httptest.NewRequest("POST", "/v1/machines/x/events?wait=applied", strings.NewReader(`{"type":"PAY"}`)).WithContext(ctx)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if status != statusClientGone || w.Code != 503 || log.Len() != 0 {
		t.Errorf("counted %d, sent %d, log %s", status, w.Code, log.String())
	}
}

package machine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// TestScripts runs the scripts of testdata. A script is a series of commands:
//
//	define [warnings]     compile a definition, in YAML; print its faults, or its warnings
//	start [input]         make a machine at time 0; the input is JSON
//	event [at=5s]         handle an event from outside, given as JSON
//	answer [at=5s]        handle the answer of an actor; message: another machine's event
//	fire [processing=1m]  let the next timer fire, at its deadline; times=3: that often, print the last
//	snapshot              print the snapshot's JSON
//	restore               read a snapshot's JSON and go on from it
//	import [at=5s]        the same with a snapshot that XState has persisted; print it as it is read
//	tags, meta            print these
//	check                 hold an event, given as JSON, to setup.events
//
// Every step is made twice and every snapshot goes through its JSON, so that each script is also one
// about determinism and durability.
func TestScripts(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		s := &script{t: t}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	t    *testing.T
	self machine.Identity
	def  *machine.Definition
	now  machine.Snapshot
}

func (s *script) run(t *testing.T, c *datadriven.TestData) string {
	s.t = t
	switch c.Cmd {
	case "define":
		return s.define(c)
	case "start":
		s.now = machine.Snapshot{}
		return s.step(func() (machine.Result, error) {
			return s.def.Start(&s.self, s.parse(c.Input), s.moment(c))
		})
	case "event", "answer", "message":
		ev := machine.NewEvent(s.parse(c.Input))
		ev.Origin = map[string]machine.Origin{"answer": machine.FromResult, "message": machine.FromMessage}[c.Cmd]
		before := s.now
		return s.step(func() (machine.Result, error) { return s.def.Step(before, ev, s.moment(c)) })
	case "fire":
		return s.fire(c)
	case "snapshot":
		return string(s.def.AppendSnapshot(nil, s.now)) + "\n"
	case "restore":
		return s.restore(c)
	case "import":
		return s.imported(c)
	case "tags":
		return fmt.Sprintln(s.def.Tags(s.now))
	case "meta":
		return s.def.Meta(s.now).String() + "\n"
	case "check":
		return faults(s.def.CheckEvent(s.parse(c.Input)))
	default:
		c.Fatalf(t, "no command %q", c.Cmd)
		return ""
	}
}

// define compiles a definition.
func (s *script) define(c *datadriven.TestData) string {
	s.now = machine.Snapshot{}
	s.self = machine.Identity{ID: "m-1", Definition: "script", Version: 1}
	c.MaybeScanArgs(s.t, "parent", &s.self.Parent)
	doc, err := syntax.DecodeYAML([]byte(c.Input))
	if err == nil {
		s.def, err = machine.Compile(doc)
	}
	if err != nil {
		return faults(err)
	}
	if c.HasArg("warnings") {
		return faults(syntax.Faults(s.def.Warnings()))
	}
	return "ok\n"
}

// faults prints faults, a line for each.
func faults(err error) string {
	var list syntax.Faults
	if !errors.As(err, &list) || len(list) == 0 {
		return "none\n"
	}
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Code, f.Pointer, f.Message)
	}
	return b.String()
}

// moment reads when a macrostep happens: by default when the last one did.
func (s *script) moment(c *datadriven.TestData) machine.Moment {
	at := machine.Moment{Event: s.now.Now, Processing: s.now.Now}
	if d, ok := s.duration(c, "at"); ok {
		at = machine.Moment{Event: d, Processing: d}
	}
	if d, ok := s.duration(c, "processing"); ok {
		at.Processing = d
	}
	return at
}

func (s *script) duration(c *datadriven.TestData, key string) (machine.Time, bool) {
	if !c.HasArg(key) {
		return 0, false
	}
	var text string
	c.ScanArgs(s.t, key, &text)
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return machine.Time(d.Microseconds()), true
}

func (s *script) parse(text string) value.Value {
	if text == "" {
		return value.Value{}
	}
	v, err := value.Parse([]byte(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// fire lets timers fire, one after the other.
func (s *script) fire(c *datadriven.TestData) string {
	times, out := 1, ""
	c.MaybeScanArgs(s.t, "times", &times)
	for range times {
		out = s.fireOnce(c)
	}
	return out
}

func (s *script) fireOnce(c *datadriven.TestData) string {
	if len(s.now.Timers) == 0 {
		return "no timer\n"
	}
	next := s.now.Timers[0]
	at := machine.Moment{Event: next.Deadline, Processing: next.Deadline}
	if d, ok := s.duration(c, "processing"); ok {
		at.Processing = d
	}
	ev := machine.NewEvent(next.Event)
	ev.Origin, ev.Timer = machine.FromTimer, next.No
	before := s.now
	return s.step(func() (machine.Result, error) { return s.def.Step(before, ev, at) })
}

// step makes a macrostep twice, and sends its snapshot through JSON.
func (s *script) step(macrostep func() (machine.Result, error)) string {
	r, err := macrostep()
	again, errAgain := macrostep()
	out := describeResult(s.def, r, err)
	if other := describeResult(s.def, again, errAgain); other != out {
		s.t.Errorf("the same step gives\n%s\nand then\n%s", out, other)
	}
	text := s.def.AppendSnapshot(nil, r.Snapshot)
	if other := s.def.AppendSnapshot(nil, again.Snapshot); !bytes.Equal(text, other) {
		s.t.Errorf("the same step gives\n%s\nand then\n%s", text, other)
	}
	restored, decodeErr := s.def.DecodeSnapshot(&s.self, text)
	if decodeErr != nil {
		s.t.Fatalf("%s: %v", text, decodeErr)
	}
	if other := s.def.AppendSnapshot(nil, restored); !bytes.Equal(text, other) {
		s.t.Errorf("%s\nis read as\n%s", text, other)
	}
	s.now = restored
	return out
}

// restore reads a snapshot.
func (s *script) restore(c *datadriven.TestData) string {
	restored, err := s.def.DecodeSnapshot(&s.self, []byte(c.Input))
	if err != nil {
		return err.Error() + "\n"
	}
	s.now = restored
	return "ok\n"
}

// imported reads a snapshot of XState's.
func (s *script) imported(c *datadriven.TestData) string {
	s.now = machine.Snapshot{}
	imported, err := s.def.ImportSnapshot(&s.self, []byte(c.Input), s.moment(c))
	if err != nil {
		return err.Error() + "\n"
	}
	s.now = imported
	return string(s.def.AppendSnapshot(nil, imported)) + "\n"
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/detent-run/detent/internal/machine/value"
)

// worker is a process of worker.mjs that has one version of XState and one scenario.
type worker struct {
	version, node string
	sample        value.Value // what the scenario leads to

	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *json.Decoder
	complaint bytes.Buffer
}

// startWorker starts a process. Closing it is the caller's.
func startWorker(ctx context.Context, library string, s *scenario) (*worker, error) {
	w := &worker{cmd: exec.CommandContext(ctx, "node", "--expose-gc", "worker.mjs", library)}
	w.cmd.Dir, w.cmd.Stderr = folder, &w.complaint
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	w.out = json.NewDecoder(out)
	var answer struct {
		Version, Node string
		Sample        value.Value
	}
	err = w.ask(map[string]any{
		"work": s.Work, "definition": s.definition, "actors": s.actors, "event": s.Event, "events": s.Events,
	}, &answer)
	if err != nil {
		return nil, w.close(err)
	}
	w.version, w.node, w.sample = answer.Version, answer.Node, answer.Sample
	return w, nil
}

func (w *worker) ask(request, answer any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return err
	}
	return w.out.Decode(answer)
}

// slice lets the process work for a while and returns its rate.
func (w *worker) slice(d time.Duration) (float64, error) {
	var answer struct{ Count, Seconds float64 }
	if err := w.ask(map[string]any{"milliseconds": d.Milliseconds()}, &answer); err != nil {
		return 0, err
	}
	return answer.Count / answer.Seconds, nil
}

// bytes returns what an idle machine keeps.
func (w *worker) bytes() (float64, error) {
	var answer struct{ Bytes float64 }
	err := w.ask(map[string]any{}, &answer)
	return answer.Bytes, err
}

// close ends the process. If there was an error, it returns that with what the process said about it.
func (w *worker) close(err error) error {
	_ = w.in.Close()
	waitErr := w.cmd.Wait()
	if err == nil {
		err = waitErr
	}
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", w.cmd.Args, err, w.complaint.Bytes())
	}
	return nil
}

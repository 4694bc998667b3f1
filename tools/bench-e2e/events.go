package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// counter counts its events, and goes to and fro between two states.
const counter = `{"machine": {"initial": "even", "context": {"n": 0}, "states": {
	"even": {"on": {"TICK": {"target": "odd", "actions": {"assign": {"n": "context.n + event.by"}}}}},
	"odd": {"on": {"TICK": {"target": "even", "actions": {"assign": {"n": "context.n + event.by"}}}}}}}}`

// scenario is one row of the table, or two: loads that run at the same time on the same processes.
type scenario struct {
	name  string
	split bool // server and worker are two processes
	loads []load
	half  string // its rate is half of what the scenario of that name applied
}

// drainWithin is how long what was accepted may take to be applied after the load has ended.
const drainWithin = 5 * time.Minute

func (s settings) scenarios() []scenario {
	all := func(tag string, connections, batch int) load {
		return load{tag: tag, connections: connections, batch: batch, many: s.machines, duration: s.duration}
	}
	wait := func(tag string, connections int) load {
		l := all(tag, connections, 1)
		l.wait = true
		return l
	}
	hot, rest := all("hot", 64, 1), all("rest", 64, 1)
	hot.many = 1
	rest.first, rest.many = 1, min(1000, s.machines-1)
	const single = "one event per request"
	return []scenario{
		{name: single, loads: []load{all("single", 256, 1)}},
		{name: "open loop, half of that", loads: []load{all("open", 256, 1)}, half: single},
		{name: "waiting, 1 connection", loads: []load{wait("wait1", 1)}},
		{name: "waiting, 8 connections", loads: []load{wait("wait8", 8)}},
		{name: "batches of 100", loads: []load{all("batch100", 16, 100)}},
		{name: "batches of 1,000", loads: []load{all("batch1000", 8, 1000)}},
		{name: "server and worker", split: true, loads: []load{all("split", 256, 1)}},
		{name: "one hot machine", loads: []load{hot, rest}},
	}
}

// benchEvents runs every load on the same machines, and checks after each.
func (h *host) benchEvents(ctx context.Context, r *report) error {
	if err := h.startPrograms(ctx, false); err != nil {
		return err
	}
	fmt.Fprintf(h.progress, "creating %d machines\n", h.settings.machines)
	if err := h.create(ctx, "counter", counter, h.settings.machines, machineID); err != nil {
		return err
	}
	applied := map[string]float64{}
	for _, x := range h.settings.scenarios() {
		if !strings.Contains(x.name, h.settings.only) {
			continue
		}
		if x.half != "" {
			x.loads[0].rate = applied[x.half] / 2
			if x.loads[0].rate == 0 {
				continue // there is nothing to halve
			}
		}
		fmt.Fprintln(h.progress, x.name)
		if (h.worker != nil) != x.split {
			if err := h.startPrograms(ctx, x.split); err != nil {
				return err
			}
		}
		rows, err := h.measure(ctx, x)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		applied[x.name] = rows[0].Applied
		r.rows = append(r.rows, rows...)
	}
	if err := h.checkMachines(ctx, r); err != nil {
		return err
	}
	h.stopPrograms()
	return h.pgbench(ctx, r)
}

// measure runs a scenario's loads at the same time and gives a row for each. What was used is of all of
// them together.
func (h *host) measure(ctx context.Context, x scenario) ([]*row, error) {
	before, err := h.used()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	results := make([]*sent, len(x.loads))
	errs := make([]error, len(x.loads))
	var group sync.WaitGroup
	for i := range x.loads {
		group.Go(func() { results[i], errs[i] = send(ctx, h.server.addr, &x.loads[i]) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if err := h.drain(ctx); err != nil {
		return nil, err
	}
	lasted := time.Since(began)
	after, err := h.used()
	if err != nil {
		return nil, err
	}
	events := 0
	for _, s := range results {
		events += len(s.acks)
	}
	var rows []*row
	for i, s := range results {
		row := newRow(x.name, s, lasted)
		if len(results) > 1 {
			row.Name += ": " + s.load.tag
		}
		if i == 0 {
			row.charge(after.minus(before), events)
		}
		if err := h.checkLoad(ctx, s, row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// drain waits until everything that was accepted has been applied.
func (h *host) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	for {
		var waits bool
		if err := h.sql.QueryRow(ctx, `SELECT EXISTS (SELECT FROM detent.inbox)`).Scan(&waits); err != nil || !waits {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("what was accepted is not applied: %w", err)
		}
	}
}

// create registers a definition and makes machines of it, which have started when it returns.
func (h *host) create(ctx context.Context, definition, document string, n int, id func(int32) string) error {
	const connections = 32
	errs := make(chan error, connections)
	register := func(c *client) error {
		return mustDo(c, "/v1/definitions/"+definition+"/versions", []byte(document))
	}
	for i := range connections {
		go func() {
			c, err := dial(h.server.addr)
			if err != nil {
				errs <- err
				return
			}
			defer c.close()
			err = register(c)
			for no := i; no < n && err == nil && ctx.Err() == nil; no += connections {
				err = mustDo(c, "/v1/machines?wait=none", fmt.Appendf(nil, `{"id":%q,"definition":%q}`, id(int32(no)), definition))
			}
			errs <- err
		}()
	}
	var failed error
	for range connections {
		if err := <-errs; err != nil {
			failed = err
		}
	}
	if failed != nil {
		return failed
	}
	return h.drain(ctx)
}

func mustDo(c *client, path string, body []byte) error {
	status, answer, err := c.do("POST", path, "application/json", "", body)
	if err == nil && status >= 300 {
		err = fmt.Errorf("POST %s: status %d: %.500s", path, status, answer)
	}
	return err
}

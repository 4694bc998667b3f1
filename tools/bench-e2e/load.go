package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"
)

// load is events to send.
type load struct {
	tag         string // begins the ids of its events
	connections int
	batch       int           // events in one request; 1 goes to the machine's own path
	wait        bool          // for the outcome
	rate        float64       // requests per second, sent when their time has come; 0 sends one after the other
	first, many int           // machines [first, first+many)
	duration    time.Duration //
}

// ack is an acknowledged event: the load's tag and these give its id.
type ack struct{ machine, connection, no int32 }

func (l *load) eventID(connection, no int32) string {
	b := append(make([]byte, 0, 32), l.tag...)
	b = strconv.AppendInt(append(b, '-'), int64(connection), 10)
	return string(strconv.AppendInt(append(b, '-'), int64(no), 10))
}

// sent is what became of a load.
type sent struct {
	load  *load
	acks  []ack
	took  []time.Duration // of each request, or of each from the time when it was to be sent
	busy  int             // requests that were sent away for the moment
	lasts time.Duration
}

// busyPause is how long one who was sent away stays away.
const busyPause = 10 * time.Millisecond

// event is what every machine counts. The text is there to be about as long as events are.
const event = `{"type":"TICK","by":1,"note":"an event has some content, too"}`

// machineID names the machines that count.
func machineID(no int32) string { return "m-" + strconv.Itoa(int(no)) }

// send runs a load to its end.
func send(ctx context.Context, addr string, l *load) (*sent, error) {
	parts := make([]*sent, l.connections)
	errs := make(chan error, l.connections)
	clients := make([]*client, l.connections)
	for i := range clients {
		c, err := dial(addr)
		if err != nil {
			return nil, err
		}
		defer c.close()
		clients[i] = c
	}
	began := time.Now()
	var group sync.WaitGroup
	for i, c := range clients {
		group.Go(func() {
			part, err := l.one(ctx, c, int32(i), began)
			if err != nil {
				errs <- fmt.Errorf("%s, connection %d: %w", l.tag, i, err)
			}
			parts[i] = part
		})
	}
	group.Wait()
	all := &sent{load: l, lasts: time.Since(began)}
	select {
	case err := <-errs:
		return nil, err
	default:
	}
	for _, p := range parts {
		all.acks = append(all.acks, p.acks...)
		all.took = append(all.took, p.took...)
		all.busy += p.busy
	}
	return all, ctx.Err()
}

// one sends on one connection until the time is over.
func (l *load) one(ctx context.Context, c *client, connection int32, began time.Time) (*sent, error) {
	part := &sent{}
	random := rand.New(rand.NewPCG(uint64(connection), 1))
	request := &request{load: l, connection: connection, random: random}
	end := began.Add(l.duration)
	for k := 0; ctx.Err() == nil; k++ {
		at := time.Now()
		if l.rate > 0 {
			at = began.Add(time.Duration(float64(k*l.connections+int(connection)) / l.rate * float64(time.Second)))
			time.Sleep(time.Until(at))
		}
		if !at.Before(end) {
			break
		}
		request.next()
		status, answer, err := c.do("POST", request.path, "application/json", request.key, request.body)
		switch {
		case err != nil:
			return nil, err
		case status == 503:
			part.busy++
			time.Sleep(busyPause)
		case status != request.want || l.batch > 1 && !bytes.HasPrefix(answer, []byte(`{"refused":0,`)):
			return nil, fmt.Errorf("status %d: %.500s", status, answer)
		default:
			part.took = append(part.took, time.Since(at))
			part.acks = append(part.acks, request.events...)
		}
	}
	return part, nil
}

// request is a request of a load, made anew for each.
type request struct {
	load       *load
	connection int32
	random     *rand.Rand
	made       int32 // events so far

	path, key string
	body      []byte
	events    []ack
	want      int
}

func (r *request) next() {
	r.events = r.events[:0]
	if r.load.batch == 1 {
		a := r.event()
		r.path, r.key, r.body, r.want = "/v1/machines/"+machineID(a.machine)+"/events", r.load.eventID(a.connection, a.no), []byte(event), 202
		if r.load.wait {
			r.path, r.want = r.path+"?wait=applied", 200
		}
		return
	}
	r.path, r.want = "/v1/events:batch", 200
	r.body = append(r.body[:0], '[')
	for i := range r.load.batch {
		if i > 0 {
			r.body = append(r.body, ',')
		}
		a := r.event()
		r.body = append(append(r.body, `{"machine":"`...), machineID(a.machine)...)
		r.body = append(append(r.body, `","id":"`...), r.load.eventID(a.connection, a.no)...)
		r.body = append(append(append(r.body, `","event":`...), event...), '}')
	}
	r.body = append(r.body, ']')
}

// event is the next event, for any of the load's machines.
func (r *request) event() ack {
	a := ack{machine: int32(r.load.first + r.random.IntN(r.load.many)), connection: r.connection, no: r.made}
	r.made++
	r.events = append(r.events, a)
	return a
}

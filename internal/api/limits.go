package api

import "time"

// Every limit of the HTTP side, in one place. What concerns ids, events and definitions is the engine's.
const (
	// defaultMaxBody bounds a request's body: a definition of some thousand states fits.
	defaultMaxBody = 1 << 20

	// maxHeader bounds a request's line and headers together.
	maxHeader = 64 << 10

	// A page holds pageDefault items unless the caller asks for another number, up to pageMax.
	pageDefault = 100
	pageMax     = 1000

	// maxKey bounds an Idempotency-Key, as the engine bounds the event id that it becomes.
	maxKey = 200

	// A create waits for the first macrostep, which is the worker's matter of milliseconds; an event
	// whose outcome is asked for may stand behind others.
	createWait = 2 * time.Second
	eventWait  = 10 * time.Second
	maxWait    = 60 * time.Second

	// answerWithin bounds a whole request: the longest wait, and what surrounds it.
	answerWithin = maxWait + 10*time.Second

	// readyWithin is shorter than what probes usually wait: they get a reason rather than silence.
	readyWithin = 2 * time.Second

	// A connection that does not send its headers or its body in time is not worth its memory.
	headerWithin = 10 * time.Second
	bodyWithin   = 30 * time.Second
	idleFor      = 2 * time.Minute

	// requestWithin is net/http's limit on a whole request. It must outlast the longest answer: when it
	// runs out for reading, net/http takes the caller for gone.
	requestWithin = headerWithin + bodyWithin + answerWithin

	// stopWithin is how long a stopping server waits for the requests under way.
	stopWithin = 15 * time.Second
)

// Package machine is the statechart engine: XState v5's semantics as pure functions.
//
// [Compile] makes a [Definition] of a decoded document. [Definition.Start] makes a machine of it, and
// [Definition.Step] takes a [Snapshot] and an [Event] to the next snapshot and a list of [Effect]s.
// Nothing is done here: an effect says what is to be made durable or told, and package engine does it,
// in one transaction with the snapshot. So the same arguments always give the same bytes, history can
// be folded through Step again, and every behaviour can be tested without a clock or a database.
//
// # Words
//
// A machine is in a configuration: the states that are active. An event from outside causes a
// macrostep: a microstep with the transitions that the event enables, and then microsteps with
// eventless transitions and with events that were raised meanwhile, until there is nothing left to
// do. A microstep exits states, runs the transitions' actions, and enters states. A macrostep is all
// or nothing: either it becomes a snapshot, or it fails and leaves everything as it was.
//
// # How to read it
//
// The algorithm is SCXML's, in the form that XState 5.33.3 gave it, and the code is meant to be read
// beside the text of Appendix D of the SCXML recommendation: one procedure there is one function
// here, under the same name, and a comment says where XState differs. Begin with step.go, then
// macrostep.go, then microstep.go; from there selection.go, conflicts.go, exit.go, entry.go,
// history.go, completion.go. Actions are action.go and action_send.go, and what they bring about is
// timer.go, delay.go and child.go. The files compile_*.go turn a document into what all these work
// on (definition.go).
//
// Package conformance holds all of this to XState itself, in thousands of cases, and the tests here to
// a twin (twin_test.go), which is the same algorithm once more without a thought for speed. Where the
// engine knowingly differs from XState, docs/divergences.md says so.
//
// A snapshot is written by [Definition.AppendSnapshot] and read by [Definition.DecodeSnapshot];
// [Definition.ImportSnapshot] reads one that XState has persisted.
//
// # Time
//
// Time is an argument. A macrostep happens at the time of its event: when the event was accepted, or
// when the timer was due, not when a worker came to it. That is "now" in expressions, delays count
// from it, and it never goes back in one machine. The time of processing is an argument too, and only
// two things look at it: a delay that says "catchUp": "skip", and hopsInPlace.
//
// A pending timer is in the snapshot's list, which is the only truth about it: the event of a timer
// that is not there changes nothing. So a timer that was cancelled, or that fired already, cannot
// fire again, however often it is delivered.
//
// # Failure
//
// An expression that cannot be evaluated, a message to an actor that does not exist, a machine that
// does not come to rest: the macrostep fails. The result is then what XState makes of it, a machine
// with status "error", and the error is a [*Failure] that names the place in the definition. Whether
// that result counts is for the shell to decide, by what [Definition.OnError] says: it may as well keep the
// snapshot from before. A broken invariant of the engine itself panics.
//
// # Cost
//
// A definition is compiled once, and what can be known ahead of time is: which candidates a state has
// for an event, what a transition leaves and enters unless history has a say in it, and the trace of
// that. A step takes time by the number of active states, never by the number of states: a machine of
// 10,000 states is as fast as one of two. Snapshots share what did not change.
//
// Who takes many steps does so in a [Workspace]. Then to select transitions, to evaluate a usual guard
// and to go from one state to another allocates nothing, and an assign one object.
//
// Snapshots are read and written for every event, so that this is where the time goes: what was
// written here is read by what is likely (snapshot_read.go), and anything else patiently.
// docs/performance.md has numbers.
//
// # Limits
//
// Everything that a definition could do without end is limited: microsteps of a macrostep
// (options.maxMicrosteps), the work of expressions (expr.Budget), pending timers (maxTimers), actors
// (maxChildren), the depth of a definition and of values (value.MaxDepth).
//
// # Imports
//
// The package is pure, and internal/lint holds it to that: it never imports context, os, net, log,
// sync or math/rand, reads no clock, starts no goroutine and ranges over no map. It imports its
// sub-packages, and a JSON Schema validator for the events that come from outside.
package machine

// Package conformance holds the engine to XState.
//
// What a statechart does is not ours to invent: a definition that runs on XState must do the same
// here. So the specification of the engine is a collection of cases. A [Case] is a definition, what
// happens to it step by step, and what XState 5.33.3 itself showed after each step: state value,
// context, actions in their order, timers, children, messages. tools/xstate-oracle records that, and
// its README has the form of a case; docs/semantics.md has the algorithm in words.
//
// [Load] reads cases, [Run] plays one on package machine and returns what was observed in the form
// of the case's own expectations, and [Compare] tells the two apart. [Check] is all three in one,
// and survives whatever a case does to the engine.
//
// # The runtime
//
// The engine is pure: it returns effects and leaves it to somebody else to carry them out. In the
// service that is package engine, with Postgres behind it. Here it is a runtime of a few hundred
// lines without any durability, which exists so that the order of things can be compared exactly:
//
//   - Every machine and every task is an actor with a mailbox, first in, first out. What is sent to
//     an idle actor is handled at once, inside the sender's own effect; what is sent to a busy one
//     waits. This is how XState delivers, and the order of messages shows it.
//   - The clock stands still but for the step "advance", which fires the timers due by then one after
//     the other, in the order of their deadlines and, among equals, of their start. While one is
//     handled the clock shows its deadline.
//   - Children are made before the first effect of the macrostep that creates them, so that they can be
//     written to, and started when the effect that creates them is reached. At the start of their parent
//     they start before its first effect instead.
//   - An actor that ends loses its timers and whatever is left in its mailbox. What is sent to it later
//     is lost, and that is no error.
//
// The runtime plays every failure by the policy "fail", because that is what XState does. The
// policies "suspend" and "rollback" are the service's own.
//
// # Trust
//
// A harness can hide the faults of what it tests. So the runtime believes nothing that it can check:
// the timers that it was told to start and cancel must be those that the snapshot lists, the children
// it was told to start and stop those that the snapshot has. With [Options.Strict] it also makes each
// macrostep twice and compares the bytes, and sends every snapshot through its JSON and back, so that
// every case is a case about durability too.
//
// Cases come from files that anybody may have written: nothing in one may crash a run or hang it. The
// package imports machine and its sub-packages, and nothing else of Detent.
package conformance

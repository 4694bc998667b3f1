// Package sim runs the runtime in one goroutine, on one seed, with everything that can go wrong: late
// commits, lost answers, crashes, takeovers, a stalled scheduler, lanes that stand still. It checks the
// promise about deadlines: given the events of a machine and their recorded event times, its outcome
// does not depend on when anybody came to anything.
//
// [Memory] is a twin of the store in memory; what drives it is the real lane of package engine. Time is
// that of testing/synctest. Only tests use this package.
package sim

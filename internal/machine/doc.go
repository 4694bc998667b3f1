// Package machine is the statechart engine: XState v5's semantics as pure functions.
package machine

package conformance

import "errors"

// BreaksContract reports whether a fault is one of the engine, whatever the case says.
func BreaksContract(err error) bool {
	return errors.Is(err, errNotPure) || errors.Is(err, errNotDurable) || errors.Is(err, errIncoherent)
}

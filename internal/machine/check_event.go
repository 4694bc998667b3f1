package machine

import "github.com/detent-run/detent/internal/machine/value"

func (c *compiler) compileSchemas() {}

// CheckEvent holds an event from outside to setup.events. The error is syntax.Faults.
func (d *Definition) CheckEvent(event value.Value) error { return nil }

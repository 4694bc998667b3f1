package machine

import (
	"strconv"

	"github.com/detent-run/detent/internal/machine/cron"
	"github.com/detent-run/detent/internal/machine/expr"
	"github.com/detent-run/detent/internal/machine/syntax"
	"github.com/detent-run/detent/internal/machine/value"
)

// inSetup is what guards and actions of setup see.
const inSetup = here | expr.Params

// compileSetup compiles what the names of the machine mean, used or not.
func (c *compiler) compileSetup() {
	setup := &c.doc.Setup
	c.d.context = c.doc.Machine.Context
	if c.d.context.IsAbsent() {
		c.d.context = value.OfObject()
	}
	c.d.contextCode = c.assignments(setup.Context, expr.Context|expr.Input|expr.Now)
	c.d.likely = c.d.context
	for _, a := range c.d.contextCode {
		c.d.likely = c.d.likely.With(a.key, value.NullValue)
	}
	for i := range setup.Actors {
		c.compileActor(&setup.Actors[i])
	}
	for _, x := range setup.Delays {
		c.delays[x.Key] = c.compileDelay(&x.Delay)
	}
	for _, x := range setup.Guards {
		c.guardBody(x.Key)
	}
	for _, x := range setup.Actions {
		c.actionBody(x.Key)
	}
	c.compileSchemas()
	c.d.needsSelf = textsOf(c.doc.Source, "self")
	c.d.needsView = textsOf(c.doc.Source, "inState") || textsOf(c.doc.Source, "hasTag")
}

// compileActor compiles one of setup.actors. The fields of a task or a call see the input that the
// actor is given.
func (c *compiler) compileActor(x *syntax.NamedActor) {
	a := &actor{src: x.Key}
	switch {
	case x.Task != nil:
		a.task, a.fields = true, c.template(x.Task.Fields, x.Task.At, here)
	case x.HTTP != nil:
		a.task, a.fields = true, c.template(x.HTTP.Fields, x.HTTP.At, here)
	}
	c.d.actors[x.Key] = a
}

// actor looks an actor up.
func (c *compiler) actor(src, at string) *actor {
	a, ok := c.d.actors[src]
	if !ok {
		known := c.doc.Setup.Actors
		c.unknown(at, CodeUnknownActor, "setup.actors has no", src, len(known), func(i int) string { return known[i].Key })
	}
	return a
}

// delay looks a delay up as a key of after is: milliseconds, a name in setup.delays, a duration.
func (c *compiler) delay(key, at string) *delay {
	if ms, err := strconv.ParseInt(key, 10, 64); err == nil {
		return &delay{at: at, kind: syntax.DelayMillis, micros: ms * 1000}
	}
	if d, ok := c.delays[key]; ok {
		return d
	}
	micros, err := syntax.ParseDuration(key)
	if err == nil {
		return &delay{at: at, kind: syntax.DelayDuration, micros: micros}
	}
	known := c.doc.Setup.Delays
	c.unknown(at, CodeUnknownDelay, `a delay is milliseconds, a name in setup.delays, or a duration such as "30s", and none of these is`,
		key, len(known), func(i int) string { return known[i].Key })
	return &delay{at: at}
}

// actionDelay compiles the delay of a raise or a sendTo.
func (c *compiler) actionDelay(v value.Value, at string) *delay {
	switch v.Kind() {
	case value.Int:
		return &delay{at: at, kind: syntax.DelayMillis, micros: v.Int() * 1000}
	case value.Text:
		return c.delay(v.Text(), at)
	default:
		return nil
	}
}

// compileDelay compiles one of setup.delays.
func (c *compiler) compileDelay(x *syntax.Delay) *delay {
	d := &delay{at: x.At, kind: x.Kind, micros: x.Micros, skip: x.Skip}
	switch x.Kind {
	case syntax.DelayExpr:
		d.program = c.program(x.Expr, x.At, here)
	case syntax.DelayAt:
		d.program = c.program(x.Expr, child(x.At, "at"), here)
		if x.Skip {
			c.warnf(child(x.At, "catchUp"), CodeNoEffect, "an absolute deadline has no period by which it could move on")
		}
	case syntax.DelayCron:
		var err error
		if d.schedule, err = cron.Parse(x.Cron, x.Zone); err != nil {
			c.fault(child(x.At, "cron"), CodeBadSchedule, "%s", err)
		}
	}
	return d
}

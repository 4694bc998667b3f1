package engine

import (
	"context"
	"fmt"

	"github.com/detent-run/detent/internal/machine"
	"github.com/detent-run/detent/internal/store"
)

// Machine returns one machine as the database has it: never from a lane's cache.
func (e *Engine) Machine(ctx context.Context, id string) (MachineView, error) {
	if err := checkMachineID(id, ""); err != nil {
		return MachineView{}, err
	}
	row, err := e.machineRow(ctx, id)
	if err != nil {
		return MachineView{}, err
	}
	return e.machineView(ctx, row)
}

// Machines lists machines. What it says of a machine is exact as of the moment of reading.
func (e *Engine) Machines(ctx context.Context, q MachineQuery) ([]MachineView, string, error) {
	after, err := readToken(q.PageToken, idPattern.MatchString)
	if err != nil {
		return nil, "", err
	}
	limit, err := pageLimit(q.Limit)
	if err != nil {
		return nil, "", err
	}
	if err := checkFilter(q); err != nil {
		return nil, "", err
	}
	rows, err := e.db.ListMachines(ctx, store.MachineFilter{
		Namespace: store.Namespace, Definition: q.Definition, Status: q.Status, AfterID: after, Limit: limit + 1,
	})
	if err != nil {
		return nil, "", outside(fmt.Errorf("list machines: %w", err))
	}
	rows, more := cut(rows, limit)
	views, bytes := make([]MachineView, len(rows)), 0
	for i, row := range rows {
		bytes += len(row.Snapshot)
		if views[i], err = e.machineView(ctx, row); err != nil {
			return nil, "", err
		}
	}
	if !more && bytes < store.PageBytes {
		return views, "", nil
	}
	return views, makeToken(rows[len(rows)-1].Key.Machine), nil
}

func checkFilter(q MachineQuery) error {
	if q.Definition != "" {
		if err := checkName(q.Definition, ""); err != nil {
			return err
		}
	}
	switch q.Status {
	case "", statusStarting, statusActive, statusDone, statusError, statusStopped, statusSuspended:
		return nil
	}
	return &Error{Code: CodeInvalidParameter, Message: fmt.Sprintf("status %s: one of starting, active, done, error, stopped, suspended", quoted(q.Status))}
}

// machineView reads a row with the machine's definition.
func (e *Engine) machineView(ctx context.Context, row store.Machine) (MachineView, error) {
	view := MachineView{
		ID: row.Key.Machine, Definition: row.Definition, Version: row.Version,
		Status: row.Status, Suspension: row.Reason, Seq: row.Seq,
		Tags: []string{}, Timers: []TimerView{}, Children: []ChildView{},
		Labels: row.Labels, Owner: row.Owner, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.Snapshot == nil {
		return view, nil
	}
	err := e.fill(ctx, &view, row)
	if err != nil && row.Status != statusSuspended { // which may be for just that reason, and says so
		return view, outside(fmt.Errorf("machine %s: %w", row.Key.Machine, err))
	}
	return view, nil
}

// fill adds what the snapshot says.
func (e *Engine) fill(ctx context.Context, v *MachineView, row store.Machine) error {
	def, err := e.defs.find(ctx, row.Key.Namespace, row.Definition, row.Version)
	if err != nil {
		return err
	}
	s, err := def.DecodeSnapshot(&machine.Identity{ID: row.Key.Machine}, row.Snapshot)
	if err != nil {
		return err
	}
	v.Value = def.StateValue(s).AppendJSON(nil)
	v.Context = s.Context.AppendJSON(nil)
	v.Tags = append(v.Tags, def.Tags(s)...)
	if !s.Output.IsAbsent() {
		v.Output = s.Output.AppendJSON(nil)
	}
	if !s.Error.IsAbsent() {
		v.Error = s.Error.AppendJSON(nil)
	}
	now := toTime(s.Now)
	v.Now = &now
	v.Timers = timerViews(s.Timers)
	for _, c := range s.Children {
		v.Children = append(v.Children, ChildView{ID: c.ID, Src: c.Src})
	}
	return nil
}

func timerViews(timers []machine.Timer) []TimerView {
	views := make([]TimerView, len(timers))
	for i, t := range timers {
		views[i] = TimerView{Event: t.Event.Get("type").Text(), Deadline: toTime(t.Deadline)}
		if t.SendID != views[i].Event {
			views[i].ID = t.SendID
		}
	}
	return views
}

// Timers returns a machine's pending timers, the earliest first.
func (e *Engine) Timers(ctx context.Context, id string, limit int) ([]TimerView, error) {
	limit, err := pageLimit(limit)
	if err != nil {
		return nil, err
	}
	view, err := e.Machine(ctx, id)
	if err != nil {
		return nil, err
	}
	timers, _ := cut(view.Timers, limit)
	return timers, nil
}

// History returns a machine's entries after a seq, in order, and whether there may be more: a page is as
// long as was asked for, or as large as a page may be.
func (e *Engine) History(ctx context.Context, id string, afterSeq int64, limit int) ([]HistoryView, bool, error) {
	if err := checkMachineID(id, ""); err != nil {
		return nil, false, err
	}
	limit, err := pageLimit(limit)
	if err != nil {
		return nil, false, err
	}
	rows, err := e.db.History(ctx, key(id), afterSeq, limit)
	if err != nil {
		return nil, false, outside(fmt.Errorf("read history: %w", err))
	}
	if len(rows) == 0 {
		// A machine without entries and one that does not exist are told apart here, off the usual path.
		if _, err := e.machineRow(ctx, id); err != nil {
			return nil, false, err
		}
	}
	views, bytes := make([]HistoryView, len(rows)), 0
	for i, r := range rows {
		views[i] = historyView(r)
		bytes += r.Size()
	}
	return views, len(rows) == limit || bytes >= store.PageBytes, nil
}

func historyView(r store.HistoryEntry) HistoryView {
	v := HistoryView{
		Seq: r.Seq, Outcome: r.Outcome, EventID: r.EventID, Event: r.Event,
		EventTime: r.EventTime, EffectiveTime: r.EffectiveTime, ProcessedAt: r.ProcessedAt,
		DefinitionVersion: r.DefinitionVersion, From: r.From, To: r.To,
		Actions: r.Actions, Effects: r.Effects, Changes: r.Changes, Reason: r.Reason,
	}
	if r.IsTimer {
		v.LatenessMs = &r.LatenessMs
	}
	return v
}

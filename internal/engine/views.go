package engine

import (
	"encoding/json"
	"time"
)

// Registered is the answer to Register.
type Registered struct {
	Name     string  `json:"name"`
	Version  int     `json:"version"`
	Hash     string  `json:"hash"`
	Warnings []Fault `json:"warnings"`
	Created  bool    `json:"-"`
}

// DefinitionView is a definition as people read it.
type DefinitionView struct {
	Name      string          `json:"name"`
	Version   int             `json:"version"`
	Hash      string          `json:"hash"`
	Warnings  []Fault         `json:"warnings"`
	CreatedAt time.Time       `json:"createdAt"`
	Document  json.RawMessage `json:"document,omitempty"` // of a single version only
}

// MachineView is a machine as people read it.
type MachineView struct {
	ID         string          `json:"id"`
	Definition string          `json:"definition"`
	Version    int             `json:"version"`
	Status     string          `json:"status"`
	Value      json.RawMessage `json:"value,omitempty"`
	Context    json.RawMessage `json:"context,omitempty"`
	Tags       []string        `json:"tags"`
	Output     json.RawMessage `json:"output,omitempty"`
	Error      json.RawMessage `json:"error,omitempty"`
	Suspension json.RawMessage `json:"suspension,omitempty"` // why, while suspended
	Seq        int64           `json:"seq"`
	Now        *time.Time      `json:"now,omitempty"`
	Timers     []TimerView     `json:"timers"`
	Children   []ChildView     `json:"children"`
	Labels     json.RawMessage `json:"labels"`
	Owner      string          `json:"owner,omitempty"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
}

// TimerView is a pending timer.
type TimerView struct {
	Event    string    `json:"event"`
	Deadline time.Time `json:"deadline"`
	ID       string    `json:"id,omitempty"` // what cancel names, unless it is the event's type
}

// ChildView is an invoked or spawned actor.
type ChildView struct {
	ID  string `json:"id"`
	Src string `json:"src"`
}

// Accepted is the answer to an event that is in the inbox.
type Accepted struct {
	EventID    string    `json:"eventId"`
	AcceptedAt time.Time `json:"acceptedAt"`
}

// Applied is the answer to an event that was handled.
type Applied struct {
	Accepted
	AppliedAt time.Time       `json:"appliedAt"`
	Seq       int64           `json:"seq"`
	Outcome   string          `json:"outcome"` // applied, ignored, dead
	Handled   bool            `json:"handled"`
	Changed   bool            `json:"changed"`
	From      json.RawMessage `json:"from,omitempty"`
	To        json.RawMessage `json:"to,omitempty"`
	Reason    json.RawMessage `json:"reason,omitempty"` // why dead
	Machine   *MachineView    `json:"machine"`
}

// HistoryView is one entry of a machine's history.
type HistoryView struct {
	Seq               int64           `json:"seq"`
	Outcome           string          `json:"outcome"`
	EventID           string          `json:"eventId,omitempty"`
	Event             json.RawMessage `json:"event,omitempty"`
	EventTime         time.Time       `json:"eventTime"`
	EffectiveTime     time.Time       `json:"effectiveTime"`
	ProcessedAt       time.Time       `json:"processedAt"`
	LatenessMs        *float64        `json:"latenessMs,omitempty"`
	DefinitionVersion int             `json:"definitionVersion"`
	From              json.RawMessage `json:"from,omitempty"`
	To                json.RawMessage `json:"to,omitempty"`
	Actions           json.RawMessage `json:"actions"`
	Effects           json.RawMessage `json:"effects"`
	Changes           json.RawMessage `json:"changes,omitempty"` // of the context
	Reason            json.RawMessage `json:"reason,omitempty"`
}

// CreateRequest is a machine to create. Body is strict JSON {id?, definition, version?, input?, labels?};
// the key, when given, makes a create without id repeatable.
type CreateRequest struct {
	Body           []byte
	IdempotencyKey string
	By             string // who asks, for the record
}

// MachineQuery selects machines to list.
type MachineQuery struct {
	Definition string
	Status     string
	PageToken  string
	Limit      int // 0 is the default (100); at most 1000
}

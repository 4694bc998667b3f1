package machine

import "github.com/detent-run/detent/internal/machine/value"

// Status is how a machine stands.
type Status uint8

const (
	Active Status = iota
	Done
	Failed // "error"
	Stopped
)

// Identity is what expressions see as self. It is not part of a snapshot's bytes.
type Identity struct {
	ID         string
	Definition string
	Version    int
	Parent     string // "" when it has none
}

// value returns what expressions see. No identity at all is one of empty names.
func (i *Identity) value() value.Value {
	if i == nil {
		i = &Identity{}
	}
	parent := value.NullValue
	if i.Parent != "" {
		parent = value.OfText(i.Parent)
	}
	return value.OfObject(
		value.Member{Key: "id", Value: value.OfText(i.ID)},
		value.Member{Key: "definition", Value: value.OfText(i.Definition)},
		value.Member{Key: "version", Value: value.OfInt(int64(i.Version))},
		value.Member{Key: "parent", Value: parent},
	)
}

// Snapshot is a machine between two macrosteps. It is immutable: Step returns a new one that shares
// what did not change. Fields that no shell needs are not exported.
type Snapshot struct {
	Self    *Identity
	Seq     int64 // entries of history so far; Start makes it 1, each Step adds one, the shell adds one for an entry of its own
	Status  Status
	Context value.Value
	Output  value.Value // Absent when there is none
	Error   value.Value // Absent when there is none
	Now     Time        // effective time of the last macrostep: never goes back
	Timers  []Timer     // pending, in the order of (Deadline, No)

	Children []Child // invoked and spawned, in the order of their start; an ended child stays until it is stopped

	active    []int32 // in the order of activation
	history   historyValue
	nextTimer int64
	nextChild int64
	hops      int // macrosteps in a row that timers and messages caused while time stood still
}

// Child is an actor that the machine invoked or spawned. How it fares is not the snapshot's to know.
type Child struct {
	ID   string
	No   int64  // never used again in this machine: tells two children of one id apart
	Src  string // its name in setup.actors
	Task bool   // a task or an HTTP call, not a machine
}

// Timer is a pending timer: the truth of which the timer table is the index.
type Timer struct {
	No       int64 // never used again in this machine
	Seq      int64 // the macrostep that armed it
	Deadline Time
	SendID   string      // what cancel names
	Event    value.Value // what it brings
	To       Address     // the machine itself, unless a delayed sendTo

	forgotten bool // SendID no longer names it: another timer of that id was started later, or has fired
}

// Address is where a message goes.
type Address struct {
	Kind AddressKind
	ID   string // the child's id, or the other machine's id
	No   int64  // which child of that id: one that was started later does not get the message
}

// AddressKind tells addresses apart.
type AddressKind uint8

const (
	ToSelf AddressKind = iota
	ToParent
	ToChild
	ToMachine
)

package machine

// Time is an instant: microseconds since the epoch.
type Time int64

// Moment is when a macrostep happens.
type Moment struct {
	Event      Time // when the event happened: accepted, or due
	Processing Time // the database's clock as the worker handles it; only catchUp: skip and long chains of hops read it
}

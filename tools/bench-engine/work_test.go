package main

import (
	"strings"
	"testing"
)

// Every scenario must be work that the engine can do, in both ways, before it is worth measuring.
func TestScenariosRun(t *testing.T) {
	t.Parallel()
	scenarios, err := readScenarios("../bench-xstate")
	if err != nil {
		t.Fatal(err)
	}
	if len(scenarios) == 0 {
		t.Fatal("there are no scenarios")
	}
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			e, err := newEngine(&s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.sample(); err != nil {
				t.Error(err)
			}
			for way, w := range map[string]work{"in memory": e.bare(), "with JSON": e.stored()} {
				switch {
				case w != nil:
					if n, err := w(); err != nil || n < 1 {
						t.Errorf("%s it was done %d times: %v", way, n, err)
					}
				case s.Work != idleWork && (s.Work != durableWork || way != "in memory"):
					t.Errorf("%s there is nothing to do", way)
				}
			}
		})
	}
}

func TestBurstThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	scenarios, err := readScenarios("../bench-xstate")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		if s.Work != burstWork {
			continue
		}
		s.Events--
		e, err := newEngine(&s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.bare()(); err == nil || !strings.Contains(err.Error(), "active") {
			t.Errorf("%s: one event too few is taken for a burst to the end: %v", s.Name, err)
		}
	}
}

func TestUnknownDefinition(t *testing.T) {
	t.Parallel()
	s := scenario{Machine: "gone"}
	if err := s.readDefinitions("../bench-xstate"); err == nil {
		t.Error("a definition that is not there is read")
	}
}

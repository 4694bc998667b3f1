package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	r := &report{settings: settings{rounds: 3}, versions: [2]string{"5", "6"}, node: "v0", rows: []*row{
		{
			scenario: scenario{Name: "plan: x", Work: planWork},
			// The ratios of the rounds are 10, 8 and 20; that of the medians would be 20.
			xstate: [2][]float64{{100, 1000, 100}, {50, 2000, 90}},
			bare:   []float64{1000, 16_000, 2000},
			stored: []float64{100, 2000, 100},
		},
		{
			scenario: scenario{Name: "idle machine: x", Work: idleWork},
			xstate:   [2][]float64{{3000, 3000, 3000}, {1500, 1500, 1500}},
			bare:     []float64{500, 500, 500},
		},
	}}
	var out strings.Builder
	if err := r.write(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{
		"XState 5 XState 6 Detent ratio Detent, with JSON ratio",
		"plan: x 100 90 2,000 10.0 100 1.0",
		"idle machine: x 3,000 1,500 500 3.0",
	} {
		if got := strings.Join(strings.Fields(lines[i]), " "); got != want {
			t.Errorf("line %d is %q instead of %q", i, got, want)
		}
	}
	var last struct {
		Rounds    int
		Scenarios []summary
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("the last line is no JSON: %v", err)
	}
	if len(last.Scenarios) != 2 || last.Scenarios[0].Ratio != 10 || last.Scenarios[1].Unit != perMachine || last.Rounds != 3 {
		t.Errorf("the last line says %+v", last)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		numbers []float64
		want    float64
	}{{nil, 0}, {[]float64{5}, 5}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := median(x.numbers); got != x.want {
			t.Errorf("the median of %v is %v instead of %v", x.numbers, got, x.want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	if s, err := parse([]string{"-rounds", "2", "-only", "plan"}, &strings.Builder{}); err != nil || s.rounds != 2 || s.only != "plan" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range [][]string{{"-rounds", "0"}, {"-slice", "1us"}, {"what"}, {"-none"}} {
		if _, err := parse(bad, &strings.Builder{}); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

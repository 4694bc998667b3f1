package e2e

import (
	"os/exec"
	"testing"
)

// The scripts of the examples check what they show, and run against a fresh server.
func TestExamples(t *testing.T) {
	t.Parallel()
	p := start(t, "server", "DETENT_DATABASE_URL="+newDatabase(t), "DETENT_WORKER=on", "DETENT_ADDR=127.0.0.1:0")
	p.ready()
	for _, example := range []string{"order", "subscription", "watchdog"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			out, err := exec.Command("../examples/"+example+"/run.sh", p.api).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}

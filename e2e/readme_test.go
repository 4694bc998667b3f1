package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tour of the README, pasted block by block: what it says is what happens.
func TestReadmeTour(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	settings := []string{"DETENT_DATA_DIR=" + dir, "DETENT_ADDR=127.0.0.1:0"}
	var server *process
	var out strings.Builder
	var defined string // what earlier blocks defined for later ones
	for _, block := range tourBlocks(t) {
		switch {
		case block == "go run ./cmd/server\n":
			server = start(t, "server", settings...)
		case strings.HasPrefix(block, "kill -9"):
			server.kill()
			server = start(t, "server", settings...)
		default:
			if lines := words.FindAllString(block, -1); lines != nil {
				defined = strings.Join(lines, "\n") + "\n"
			}
			out.WriteString(paste(t, defined+block, server.api, dir))
		}
	}
	for _, told := range []string{
		`"name":"order","version":1`,
		`"id":"order-18"`,
		`"value":{"fulfilment":{"goods":"picking","invoice":"due"}}`,
		`"output":{"result":"completed","paid":100,"refund":0}`,
		`"value":{"open":"reminded"}`,
		`"value":"expired"`,
		"xstate.after.timeInForce.order.open",
		"(3 rows)", // order 18's history in SQL
		"(2 rows)", // the machines in SQL
	} {
		if !strings.Contains(out.String(), told) {
			t.Errorf("the tour never showed %s", told)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

func tourBlocks(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, found := strings.Cut(string(readme), "## Tour")
	tour, _, _ = strings.Cut(tour, "\n## ")
	var blocks []string
	for _, m := range shellBlock.FindAllStringSubmatch(tour, -1) {
		blocks = append(blocks, m[1])
	}
	if !found || len(blocks) < 8 {
		t.Fatalf("the README has a tour of %d blocks", len(blocks))
	}
	return blocks
}

// words are the lines of a block that later blocks build on.
var words = regexp.MustCompile(`(?m)^(API=|post\(\)).*$`)

// paste runs a block in the repository's folder, at the server's address and data directory.
func paste(t *testing.T, block, api, dir string) string {
	t.Helper()
	script := strings.NewReplacer("http://127.0.0.1:8080", api, ".detent/", dir+"/").Replace(block)
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", block, err, out)
	}
	return string(out)
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// insertScript inserts a row about as large as an event's, by a key as random.
const insertScript = `\set m random(1, 10000)
INSERT INTO public.bench (machine, id, event) VALUES (:m, gen_random_uuid(), '` + event + `');
`

var tps = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbench measures what Postgres does with one row in each transaction from 64 clients, for a ratio. It
// leaves the row out when there is no pgbench.
func (h *host) pgbench(ctx context.Context, r *report) error {
	program, err := exec.LookPath("pgbench")
	if err != nil || !strings.Contains("pgbench", h.settings.only) && h.settings.only != "" {
		return nil
	}
	fmt.Fprintln(h.progress, "pgbench")
	if _, err := h.sql.Exec(ctx, `CREATE TABLE public.bench (machine integer, id uuid, event text, PRIMARY KEY (machine, id))`); err != nil {
		return err
	}
	script := filepath.Join(h.dir, "insert.sql")
	if err := os.WriteFile(script, []byte(insertScript), 0o600); err != nil {
		return err
	}
	before, err := h.postgresTime()
	if err != nil {
		return err
	}
	seconds := strconv.Itoa(int(h.settings.duration.Seconds()))
	out, err := exec.CommandContext(ctx, program, "-n", "-M", "prepared", "-c", "64", "-j", "2", "-T", seconds, "-f", script, h.cluster.URL()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	after, err := h.postgresTime()
	if err != nil {
		return err
	}
	found := tps.FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("pgbench says no rate:\n%s", out)
	}
	row := &row{Name: "pgbench, one insert per transaction"}
	if row.Applied, err = strconv.ParseFloat(string(found[1]), 64); err != nil {
		return err
	}
	if err := h.sql.QueryRow(ctx, `SELECT count(*) FROM public.bench`).Scan(&row.Events); err != nil {
		return err
	}
	row.PostgresTime = perEvent(after-before, row.Events)
	r.rows = append(r.rows, row)
	r.insert = row.Applied
	return nil
}

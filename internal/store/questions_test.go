package store_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/store"
	"github.com/detent-run/detent/internal/testdb"
)

// question is a section of docs/sql.md: a query and the answer that the document shows.
type question struct{ title, query, answer string }

// TestQuestions runs every query of docs/sql.md and compares its answer with the document's.
func TestQuestions(t *testing.T) {
	t.Parallel()
	questions := readQuestions(t, "../../docs/sql.md")
	if len(questions) < 12 {
		t.Fatalf("docs/sql.md has only %d questions", len(questions))
	}
	data, err := os.ReadFile("testdata/questions.sql")
	if err != nil {
		t.Fatal(err)
	}
	conn := session(t, testdb.New(t, store.Migrate).URL)
	if _, err := conn.Exec(t.Context(), `SET TimeZone = 'UTC'`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), string(data)); err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		got := answerOf(t, conn, q)
		if d := cmp.Diff(strings.Split(q.answer, "\n"), strings.Split(got, "\n")); d != "" {
			t.Errorf("%s (- docs/sql.md, + answer):\n%s", q.title, d)
		}
	}
}

// TestViewsReadable reads every column of every view: one that raises for some row would make the view
// useless to all.
func TestViewsReadable(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/questions.sql")
	if err != nil {
		t.Fatal(err)
	}
	conn := session(t, testdb.New(t, store.Migrate).URL)
	if _, err := conn.Exec(t.Context(), string(data)); err != nil {
		t.Fatal(err)
	}
	documented, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	views := query1On[[]string](t, conn, `SELECT array_agg(viewname::text ORDER BY 1) FROM pg_views WHERE schemaname = 'detent'`)
	for _, view := range views {
		if !strings.Contains(string(documented), "**`detent."+view+"`**") {
			t.Errorf("docs/sql.md does not describe detent.%s", view)
		}
		rows, err := conn.Query(t.Context(), `SELECT * FROM detent.`+view)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range rows.FieldDescriptions() {
			if !strings.Contains(string(documented), "`"+column.Name+"`") && !strings.Contains(string(documented), "`\""+column.Name+"\"`") {
				t.Errorf("docs/sql.md does not describe column %s of detent.%s", column.Name, view)
			}
		}
		n := 0
		for rows.Next() {
			n++
		}
		if rows.Err() != nil || n == 0 {
			t.Errorf("detent.%s: %d rows, %v", view, n, rows.Err())
		}
	}
}

func readQuestions(t *testing.T, path string) []question {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []question
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		section, _, _ = strings.Cut(section, "\n## ")
		title, rest, _ := strings.Cut(section, "\n")
		_, rest, begins := strings.Cut(rest, "```sql\n")
		query, rest, ends := strings.Cut(rest, "```\n")
		if !begins || !ends {
			t.Errorf("%s: no query", title)
			continue
		}
		var table []string
		for line := range strings.Lines(rest) {
			if strings.HasPrefix(line, "|") {
				table = append(table, strings.TrimSpace(line))
			}
		}
		all = append(all, question{title, query, strings.Join(table, "\n")})
	}
	return all
}

// answerOf runs a query and prints its rows as the document does.
func answerOf(t *testing.T, conn *pgx.Conn, q question) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), q.query, pgx.QueryExecModeSimpleProtocol) // which answers in text
	if err != nil {
		t.Errorf("%s: %v", q.title, err)
		return ""
	}
	defer rows.Close()
	var names, rules []string
	for _, column := range rows.FieldDescriptions() {
		names, rules = append(names, column.Name), append(rules, "---")
	}
	lines := []string{row(names), row(rules)}
	for rows.Next() {
		var cells []string
		for _, value := range rows.RawValues() {
			cells = append(cells, string(value))
		}
		lines = append(lines, row(cells))
	}
	if rows.Err() != nil {
		t.Errorf("%s: %v", q.title, rows.Err())
	}
	return strings.Join(lines, "\n")
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

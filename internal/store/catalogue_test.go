package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/detent-run/detent/internal/testdb"
)

// uncommentedQuery lists what psql would show without an explanation.
const uncommentedQuery = `
SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'view' ELSE 'table' END, c.relname)
FROM pg_class c
WHERE c.relnamespace = 'detent'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND obj_description(c.oid, 'pg_class') IS NULL
UNION ALL
SELECT format('column %s.%s', c.relname, a.attname)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'detent'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0 AND NOT a.attisdropped AND col_description(c.oid, a.attnum) IS NULL
UNION ALL
SELECT format('function %s', p.oid::regprocedure)
FROM pg_proc p
WHERE p.pronamespace = 'detent'::regnamespace AND obj_description(p.oid, 'pg_proc') IS NULL
UNION ALL
SELECT format('trigger %s', t.tgname)
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'detent'::regnamespace AND NOT t.tgisinternal AND obj_description(t.oid, 'pg_trigger') IS NULL
UNION ALL
SELECT 'schema detent' WHERE obj_description('detent'::regnamespace, 'pg_namespace') IS NULL`

func TestEverythingIsCommented(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	for _, name := range texts(t, conn, uncommentedQuery) {
		t.Errorf("%s has no COMMENT", name)
	}
	if n := len(texts(t, conn, `SELECT relname::text FROM pg_class WHERE relnamespace = 'detent'::regnamespace AND relkind = 'r'`)); n < 11 {
		t.Errorf("only %d tables were looked at", n)
	}
}

// TestKeys holds the schema to the rule that keys begin with the bucket, so that a machine's rows lie
// together and no key that people see needs a sequence.
func TestKeys(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	got := texts(t, conn, `
SELECT format('%s: %s%s', c.relname,
    (SELECT string_agg(a.attname, ' ' ORDER BY k.n) FROM unnest(i.indkey::int[]) WITH ORDINALITY k (no, n) JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.no),
    ' where ' || pg_get_expr(i.indpred, c.oid))
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
WHERE c.relnamespace = 'detent'::regnamespace
    AND c.relname IN ('machine', 'snapshot', 'inbox', 'timer', 'history_entry', 'dead_letter')
ORDER BY 1`)
	want := []string{
		"dead_letter: bucket namespace machine_id event_id",
		"history_entry: bucket namespace machine_id event_id",
		"inbox: bucket event_time no where (NOT parked)",
		"inbox: bucket namespace machine_id event_id",
		"machine: bucket namespace machine_id",
		"machine: namespace definition bucket machine_id",
		"snapshot: bucket namespace machine_id seq",
		"timer: bucket deadline namespace machine_id no",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("indexes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, name := range texts(t, conn, `SELECT conname::text FROM pg_constraint WHERE connamespace = 'detent'::regnamespace AND contype = 'f'`) {
		t.Errorf("%s is a foreign key: none may cross buckets", name)
	}
}

// TestBucketOf: Go and SQL place a machine alike, and both as they always have.
func TestBucketOf(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	keys := []Key{
		{"default", "order-17"},
		{"default", "order-17/kyc~3"},
		{"default", "order-17/kyc~3/x~1"},
		{"other", "order-17"},
		{"default", "a/"},
		{"default", "/a"},
		{"default", "/"},
		{"default", ""},
		{"", "x"},
		{"ä", "✓/x"},
	}
	alphabet := []rune("abcXYZ019._:@-/~ äß✓")
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		id := make([]rune, random.IntN(40))
		for i := range id {
			id[i] = alphabet[random.IntN(len(alphabet))]
		}
		keys = append(keys, Key{"default", string(id)})
	}
	seen := map[int16]bool{}
	for _, k := range keys {
		var inSQL int16
		if err := conn.QueryRow(t.Context(), `SELECT detent.bucket_of($1, $2)`, k.Namespace, k.Machine).Scan(&inSQL); err != nil {
			t.Fatal(err)
		}
		if inSQL != k.Bucket() {
			t.Errorf("%+q lies in bucket %d in SQL and in %d in Go", k, inSQL, k.Bucket())
		}
		seen[inSQL] = true
	}
	if len(seen) < Buckets/2 {
		t.Errorf("%d ids fall into %d buckets", len(keys), len(seen))
	}
	// sha256("default", 0, "order-17") begins with ea. This can never change: rows lie where it says.
	for _, k := range keys[:3] {
		if k.Bucket() != 0xea {
			t.Errorf("%v lies in bucket %d", k, k.Bucket())
		}
	}
	if keys[3].Bucket() == 0xea {
		t.Error("the namespace does not count")
	}
}

func TestIDRules(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	long := strings.Repeat("a", 200)
	for _, c := range []struct {
		function, text string
		want           bool
	}{
		{"is_machine_id", "a", true},
		{"is_machine_id", "0.x_y:z@home-1", true},
		{"is_machine_id", long, true},
		{"is_machine_id", long + "a", false},
		{"is_machine_id", "a/b~1", true},
		{"is_machine_id", "a/0.order.wait%20ing~1/c~22", true},
		{"is_machine_id", "a/b", false},
		{"is_machine_id", "a/b~", false},
		{"is_machine_id", "a/~1", false},
		{"is_machine_id", "a/b c~1", false},
		{"is_machine_id", "a/b~1/", false},
		{"is_machine_id", "a\n", false},
		{"is_machine_id", "", false},
		{"is_machine_id", "é", false},
		{"is_machine_id", "-a", false},
		{"is_machine_id", "a" + strings.Repeat("/"+long[:195]+"~1", 5), true},
		{"is_machine_id", "a" + strings.Repeat("/"+long[:197]+"~1", 5), false},
		{"is_machine_id", long + "/b~1", true},
		{"is_machine_id", long + "a/b~1", false},
		{"is_name", "order", true},
		{"is_name", "order/x~1", false},
		{"is_name", long, true},
		{"is_name", long + "a", false},
		{"is_name", "", false},
		{"is_event_id", "c:1", true},
		{"is_event_id", "c:é ✓", true},
		{"is_event_id", "", false},
		{"is_event_id", "c:\n", false},
		{"is_event_id", "c:\x7f", false},
		{"is_event_id", strings.Repeat("a", 1300), true},
		{"is_event_id", strings.Repeat("a", 1301), false},
	} {
		var got bool
		if err := conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT detent.%s($1)`, c.function), c.text).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s(%.60q) is %t", c.function, c.text, got)
		}
	}
}

// TestLongestKeysFit: the longest ids that the rules allow still fit into every index.
func TestLongestKeysFit(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), testdb.New(t, Migrate).URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	// Of random characters: repeated ones would be compressed, and fit by luck.
	random := rand.New(rand.NewPCG(3, 4))
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[random.IntN(62)]
		}
		return string(b)
	}
	k := Key{Namespace: text(200), Machine: text(200)}
	for len(k.Machine) < 1000-3 {
		k.Machine += "/" + text(min(197, 1000-3-len(k.Machine))) + "~1"
	}
	ref := EventRef{Key: k, EventID: text(1300)}
	if _, err := db.CreateMachine(t.Context(), NewMachine{
		Key: k, Definition: text(200), Version: 1, Labels: []byte(`{}`), Fingerprint: []byte("f"), EventID: ref.EventID, Event: []byte(`{}`),
	}); err != nil {
		t.Fatal(err)
	}
	owner, err := db.Join(t.Context(), OwnerInfo{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Apply(t.Context(), &Commit{
		Owner: owner, Consumed: []EventRef{ref},
		TimersAdded: []TimerRow{{Key: k, No: 1, EventID: ref.EventID}},
		Snapshots:   []SnapshotRow{{Key: k, Seq: 1, Status: "active", Snapshot: []byte(`{}`)}},
		History:     []HistoryEntry{{Key: k, Seq: 1, EventID: ref.EventID, Outcome: "dead"}},
		DeadLetters: []DeadLetter{{EventRef: ref, Seq: 1, Event: []byte(`{}`), Reason: []byte(`{}`)}},
	}); err != nil {
		t.Fatal(err)
	}
}

// TestReadable: no payload that JSON can hold makes a view unreadable.
func TestReadable(t *testing.T) {
	t.Parallel()
	conn := connect(t, testdb.New(t, Migrate).URL)
	for stored, want := range map[string]string{
		`{"a":1}`:                  `{"a": 1}`,
		`{"a":9007199254740993}`:   `{"a": 9007199254740993}`,
		`{"a":"\u00e9"}`:           `{"a": "é"}`,
		`{"a":"\u0000"}`:           `{"a": "` + "\ufffd" + `"}`,
		`{"a":"\\u0000"}`:          `{"a": "\\u0000"}`,
		`{"a":"\\\u0000\u0000\\"}`: `{"a": "\\` + "\ufffd\ufffd" + `\\"}`,
		`{"a\u0000":1}`:            `{"a` + "\ufffd" + `": 1}`,
		`{"a":"\ud83d\ude00"}`:     `{"a": "😀"}`,
		`{"a":"\ud83d"}`:           `"{\"a\":\"\\ud83d\"}"`,
		`{"a":1e400000}`:           `"{\"a\":1e400000}"`,
		`not JSON`:                 `"not JSON"`,
	} {
		var got string
		if err := conn.QueryRow(t.Context(), `SELECT detent.readable($1)::text`, stored).Scan(&got); err != nil {
			t.Errorf("%s: %v", stored, err)
			continue
		}
		if got != want {
			t.Errorf("%s reads %s, want %s", stored, got, want)
		}
	}
}

func texts(t *testing.T, conn *pgx.Conn, query string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

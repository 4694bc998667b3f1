package api

import (
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/detent-run/detent/internal/engine"
)

const document = `{"machine":{"initial":"a","states":{"a":{}}}}`

var hash = strings.Repeat("0123456789abcdef", 4)

func TestRegisterDefinition(t *testing.T) {
	t.Parallel()
	warnings := []engine.Fault{{Pointer: "/machine/states/a/on/X", Code: "no_candidate", Message: "[] takes nothing"}}
	for _, created := range []bool{true, false} {
		c := setup(t, &fake{register: func(name string, body []byte, yaml bool) (engine.Registered, error) {
			if name != "order" || string(body) != document || yaml {
				t.Errorf("register %q %s yaml %t", name, body, yaml)
			}
			return engine.Registered{Name: name, Version: 3, Hash: hash, Warnings: warnings, Created: created}, nil
		}}, Options{})
		status, location := 200, ""
		if created {
			status, location = 201, "/v1/definitions/order/versions/3"
		}
		r := c.Do("POST", "/v1/definitions/order/versions", document).Must(status)
		if got := r.Header.Get("Location"); got != location {
			t.Errorf("Location %q, want %q", got, location)
		}
		var got engine.Registered
		r.Into(&got)
		if diff := gocmp.Diff(engine.Registered{Name: "order", Version: 3, Hash: hash, Warnings: warnings}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestRegisterYAML(t *testing.T) {
	t.Parallel()
	const text = "machine:\n  initial: a\n  states: {a: {}}\n"
	c := setup(t, &fake{register: func(name string, body []byte, yaml bool) (engine.Registered, error) {
		if string(body) != text || !yaml {
			t.Errorf("register %q yaml %t", body, yaml)
		}
		return engine.Registered{Name: name, Version: 1, Hash: hash, Created: true}, nil
	}}, Options{})
	for _, media := range []string{"application/yaml", "text/yaml", "application/x-yaml"} {
		c.With("Content-Type", media).Do("POST", "/v1/definitions/order/versions", text).Must(201)
	}
}

// Lists are lists, also when the engine has none.
func TestValidateDefinition(t *testing.T) {
	t.Parallel()
	c := setup(t, &fake{validate: func([]byte, bool) ([]engine.Fault, error) { return nil, nil }}, Options{})
	if r := c.Do("POST", "/v1/definitions:validate", document).Must(200); string(r.Body) != `{"warnings":[]}`+"\n" {
		t.Errorf("%s", r.Body)
	}
}

func TestListDefinitions(t *testing.T) {
	t.Parallel()
	view := engine.DefinitionView{Name: "order", Version: 2, Hash: hash, Warnings: []engine.Fault{}, CreatedAt: noon}
	c := setup(t, &fake{definitions: func(token string, limit int) ([]engine.DefinitionView, string, error) {
		if token == "t2" {
			return nil, "", nil
		}
		if token != "" || limit != 7 {
			t.Errorf("token %q limit %d", token, limit)
		}
		return []engine.DefinitionView{view}, "t2", nil
	}, versions: func(name, token string, limit int) ([]engine.DefinitionView, string, error) {
		if name != "order" || token != "t" || limit != pageDefault {
			t.Errorf("name %q token %q limit %d", name, token, limit)
		}
		return []engine.DefinitionView{view}, "", nil
	}}, Options{})
	const item = `{"name":"order","version":2,"hash":"`
	for path, want := range map[string]string{
		"/v1/definitions?limit=7":           `{"definitions":[` + item,
		"/v1/definitions?pageToken=t2":      `{"definitions":[]}`,
		"/v1/definitions/order?pageToken=t": `{"versions":[` + item,
	} {
		r := c.Do("GET", path, nil).Must(200)
		if !strings.HasPrefix(string(r.Body), want) || strings.Contains(string(r.Body), "nextPageToken") != strings.Contains(path, "limit") {
			t.Errorf("%s: %s", path, r.Body)
		}
	}
}

func TestReadDefinition(t *testing.T) {
	t.Parallel()
	const exact = `{"machine":{"context":{"n":` + big + `,"x":1.0e2,"html":"<&>"}}}`
	c := setup(t, &fake{definition: func(name string, version int) (engine.DefinitionView, error) {
		if version == 0 {
			version = 12 // as the engine reads the latest
		}
		return engine.DefinitionView{Name: name, Version: version, Hash: hash, Warnings: []engine.Fault{}, CreatedAt: noon, Document: json.RawMessage(exact)}, nil
	}}, Options{})
	for path, want := range map[string]string{"latest": `"version":12`, "5": `"version":5`} {
		r := c.Do("GET", "/v1/definitions/order/versions/"+path, nil).Must(200)
		if !strings.Contains(string(r.Body), want) || !strings.Contains(string(r.Body), exact) {
			t.Errorf("%s: %s", path, r.Body)
		}
	}
}

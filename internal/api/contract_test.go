package api

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/detent-run/detent/internal/api/apitest"
)

// Routes and document say the same of methods, paths, query parameters and bodies, in both directions.
func TestRoutesAreTheDocument(t *testing.T) {
	t.Parallel()
	var table []apitest.Operation
	for _, rt := range routes {
		table = append(table, apitest.Operation{
			Method: strings.ToLower(rt.method), Path: rt.pattern, ID: rt.operation,
			Query: slices.Sorted(slices.Values(rt.query)), Body: slices.Sorted(slices.Values(rt.body)),
		})
	}
	document := apitest.Operations(t)
	for i := range document {
		slices.Sort(document[i].Query)
		slices.Sort(document[i].Body)
	}
	byID := func(a, b apitest.Operation) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(table, byID)
	slices.SortFunc(document, byID)
	if diff := gocmp.Diff(document, table); diff != "" {
		t.Errorf("openapi.yaml (-) and routes (+) differ:\n%s", diff)
	}
}

// The document's examples are as its schemas have them.
func TestExamplesAreAsTheirSchemas(t *testing.T) {
	t.Parallel()
	if n := apitest.CheckExamples(t); n == 0 {
		t.Error("no examples found")
	}
}

func TestCodesAreTheDocument(t *testing.T) {
	t.Parallel()
	var table []string
	for _, k := range problems {
		table = append(table, string(k.code))
	}
	if diff := gocmp.Diff(apitest.Codes(t), table); diff != "" {
		t.Errorf("codes of openapi.yaml (-) and of problems (+) differ:\n%s", diff)
	}
}

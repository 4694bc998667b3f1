package apitest

import (
	"testing"

	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/pb33f/libopenapi/orderedmap"
)

// Operation is an operation of the document, as far as a table of routes can be held to it.
type Operation struct {
	Method, Path string
	ID           string
	Query        []string // names of its query parameters
	Body         []string // media types of its body, nil when it takes none
}

// Operations returns the operations of the document, after holding that to the OpenAPI specification.
func Operations(t testing.TB) []Operation {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.checkDocument(); err != nil {
		t.Fatal(err)
	}
	c.Lock()
	defer c.Unlock()
	var all []Operation
	for path, item := range c.model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			o := Operation{Method: method, Path: path, ID: op.OperationId}
			for _, p := range op.Parameters {
				if p.In == "query" {
					o.Query = append(o.Query, p.Name)
				}
			}
			if op.RequestBody != nil {
				for media := range op.RequestBody.Content.KeysFromOldest() {
					o.Body = append(o.Body, media)
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// Codes returns the problem codes of the document.
func Codes(t testing.TB) []string {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	c.Lock()
	defer c.Unlock()
	var codes []string
	code := c.model.Components.Schemas.GetOrZero("Problem").Schema().Properties.GetOrZero("code")
	for _, node := range code.Schema().Enum {
		codes = append(codes, node.Value)
	}
	return codes
}

// CheckExamples holds every example of a body to its schema, and returns how many there were.
func CheckExamples(t testing.TB) int {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	c.Lock()
	defer c.Unlock()
	checked := 0
	check := func(where string, content *orderedmap.Map[string, *v3.MediaType]) {
		for media, m := range content.FromOldest() {
			if m.Examples == nil {
				continue
			}
			for name, example := range m.Examples.FromOldest() {
				checked++
				if err := checkExample(m.Schema.Schema(), example); err != nil {
					t.Errorf("%s, %s, example %s: %v", where, media, name, err)
				}
			}
		}
	}
	for path, item := range c.model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			if op.RequestBody != nil {
				check(method+" "+path, op.RequestBody.Content)
			}
			for status, response := range op.Responses.Codes.FromOldest() {
				check(method+" "+path+" "+status, response.Content)
			}
		}
	}
	return checked
}

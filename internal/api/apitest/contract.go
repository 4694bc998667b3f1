package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	validation "github.com/pb33f/libopenapi-validator/errors"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	openapi "github.com/detent-run/detent/api"
)

// contract is the OpenAPI document, read and compiled. Whoever touches it holds the lock: the model
// fills itself in as it is read.
type contract struct {
	sync.Mutex
	document  libopenapi.Document
	model     *v3.Document
	validator validator.Validator
}

// shared is the one contract of a test binary: compiling it takes longer than most tests.
var shared = sync.OnceValues(readContract)

func readContract() (*contract, error) {
	document, err := libopenapi.NewDocument(openapi.Document)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	model, err := document.BuildV3Model()
	if err != nil {
		return nil, fmt.Errorf("model of openapi.yaml: %w", err)
	}
	v, errs := validator.NewValidator(document, options()...)
	if len(errs) > 0 {
		return nil, fmt.Errorf("validator of openapi.yaml: %w", errors.Join(errs...))
	}
	return &contract{document: document, model: &model.Model, validator: v}, nil
}

func options() []config.Option {
	return []config.Option{
		config.WithFormatAssertions(),
		config.WithStandardBodyDecoders(),
		config.WithRejectUnsupportedBodyContent(),
		config.WithRejectUndeclaredRequestBody(),
	}
}

// checkDocument holds the document to the OpenAPI specification.
func (c *contract) checkDocument() error {
	c.Lock()
	defer c.Unlock()
	_, faults := schema_validation.ValidateOpenAPIDocument(c.document)
	return joined("openapi.yaml", faults)
}

func (c *contract) checkRequest(r *http.Request) error {
	if _, ok := c.find(r.Method, r.URL.EscapedPath()); !ok {
		return errors.New("openapi.yaml has no such operation")
	}
	if r.Method == http.MethodHead {
		r.Method = http.MethodGet // of which it is the half; find knows that
	}
	c.Lock()
	defer c.Unlock()
	_, faults := c.validator.ValidateHttpRequestSync(r)
	return joined("the request is not as openapi.yaml has it", faults)
}

// checkResponse checks the answer of an operation. The validator is asked by the operation's plainest
// request: it would refuse to say which operation an odd one belongs to.
func (c *contract) checkResponse(method, template string, response *http.Response) error {
	r, err := http.NewRequest(method, strings.NewReplacer("{", "", "}", "").Replace(template), nil)
	if err != nil {
		return err
	}
	c.Lock()
	defer c.Unlock()
	_, faults := c.validator.ValidateHttpResponse(r, response)
	return joined("the response is not as openapi.yaml has it", faults)
}

// checkProblem checks the answer to a request that is for no operation: a problem as any operation's.
func (c *contract) checkProblem(response *http.Response) error {
	if response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusMethodNotAllowed {
		return fmt.Errorf("status %d for a request that openapi.yaml does not know", response.StatusCode)
	}
	as := *response
	as.StatusCode = http.StatusNotFound
	return c.checkResponse(http.MethodGet, "/v1/machines/{id}", &as)
}

// find returns the path template of the operation that a request is for. Paths are taken as they are
// sent: a parameter is one segment in its escaped form, and nothing is normalized.
func (c *contract) find(method, escapedPath string) (template string, ok bool) {
	segments := strings.Split(escapedPath, "/")
	if method == http.MethodHead {
		method = http.MethodGet
	}
	c.Lock()
	defer c.Unlock()
	best := -1 // how many segments are not parameters: "a/b" comes before "a/{x}"
	for path, item := range c.model.Paths.PathItems.FromOldest() {
		exact, matches := compare(strings.Split(path, "/"), segments)
		if _, has := item.GetOperations().Get(strings.ToLower(method)); has && matches && exact > best {
			template, ok, best = path, true, exact
		}
	}
	return template, ok
}

// compare reports whether a path is as the template says, and how many segments are the same.
func compare(template, path []string) (exact int, matches bool) {
	if len(template) != len(path) {
		return 0, false
	}
	for i, part := range template {
		switch {
		case part == path[i]:
			exact++
		case !strings.HasPrefix(part, "{") || path[i] == "":
			return 0, false
		}
	}
	return exact, true
}

// joined makes one error of all faults, nil when there are none.
func joined(what string, faults []*validation.ValidationError) error {
	if len(faults) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString(what)
	for _, f := range faults {
		fmt.Fprintf(&b, "\n  %s: %s", f.Message, f.Reason)
		for _, s := range f.SchemaValidationErrors {
			fmt.Fprintf(&b, "\n    %s: %s", s.FieldPath, s.Reason)
		}
	}
	return errors.New(b.String())
}

// checkExample holds an example to its schema. It is called with the lock held.
func checkExample(schema *base.Schema, example *base.Example) error {
	var value any
	if err := example.Value.Decode(&value); err != nil {
		return err
	}
	_, faults := schema_validation.NewSchemaValidator(options()...).ValidateSchemaObject(schema, value)
	return joined("not as its schema", faults)
}

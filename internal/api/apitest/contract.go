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

// contract is the OpenAPI document, read and compiled.
type contract struct {
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
	_, faults := schema_validation.ValidateOpenAPIDocument(c.document)
	return joined("openapi.yaml", faults)
}

func (c *contract) checkRequest(r *http.Request) error {
	_, faults := c.validator.ValidateHttpRequestSync(r)
	return joined("the request is not as openapi.yaml has it", faults)
}

func (c *contract) checkResponse(r *http.Request, response *http.Response) error {
	_, faults := c.validator.ValidateHttpResponse(r, response)
	return joined("the response is not as openapi.yaml has it", faults)
}

// checkProblem checks an answer that belongs to no operation of the document.
func (c *contract) checkProblem(status int, contentType string, body []byte) error {
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		return fmt.Errorf("status %d for a request that openapi.yaml does not know", status)
	}
	if contentType != "application/problem+json" {
		return fmt.Errorf("content type %q for a request that openapi.yaml does not know", contentType)
	}
	schema := c.model.Components.Schemas.GetOrZero("Problem").Schema()
	_, faults := schema_validation.NewSchemaValidator(options()...).ValidateSchemaBytes(schema, body)
	return joined("the problem is not as openapi.yaml has it", faults)
}

// knows reports whether the document has an operation for the request.
func (c *contract) knows(r *http.Request) bool {
	_, faults := c.validator.ValidateHttpRequestSync(r)
	for _, f := range faults {
		if f.IsPathMissingError() || f.IsOperationMissingError() {
			return false
		}
	}
	return true
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

func (c *contract) checkExample(schema *base.Schema, example *base.Example) error {
	var value any
	if err := example.Value.Decode(&value); err != nil {
		return err
	}
	_, faults := schema_validation.NewSchemaValidator(options()...).ValidateSchemaObject(schema, value)
	return joined("not as its schema", faults)
}

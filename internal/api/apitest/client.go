// Package apitest is an HTTP client for tests that knows the contract: every request that it sends and
// every response that it gets must be as api/openapi.yaml describes them, or the test fails. So whatever
// a test does with the API also proves the document, and a field or status that the document lacks
// cannot slip in. Answers to paths and methods that the document does not know must be its problems.
//
// A test of bad input sends what the document forbids on purpose: it asks for a client that lets it,
// by Malformed. Responses are checked all the same.
package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// Client sends requests to one server. It is safe for parallel use by the tests that its T belongs to.
type Client struct {
	t         testing.TB
	base      string
	http      *http.Client
	contract  *contract
	header    http.Header
	malformed bool
}

// New returns a client of the server at baseURL, which has no trailing slash.
func New(t testing.TB, baseURL string) *Client {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return &Client{
		t: t, base: baseURL, contract: c,
		header: http.Header{},
		// A redirect is an answer that the document does not know.
		http: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// With returns a client that sends the header as well, in place of others of that name. Without
// values the header is not sent at all.
func (c *Client) With(name string, values ...string) *Client {
	with := *c
	with.header = c.header.Clone()
	with.header[http.CanonicalHeaderKey(name)] = values
	return &with
}

// Malformed returns a client whose requests need not be as the document has them.
func (c *Client) Malformed() *Client {
	lax := *c
	lax.malformed = true
	return &lax
}

// Response is an answer, read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	t      testing.TB
}

// Do sends a request and checks both ways. A body that is text or bytes goes as it is; nil is no body;
// anything else goes as JSON. The content type is application/json unless With says otherwise.
func (c *Client) Do(method, path string, body any) *Response {
	c.t.Helper()
	sent := c.encode(body)
	if !c.malformed {
		if err := c.contract.checkRequest(c.request(method, path, sent)); err != nil {
			c.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	response, err := c.http.Do(c.request(method, path, sent))
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	got, err := io.ReadAll(response.Body)
	if err := response.Body.Close(); err != nil {
		c.t.Fatalf("%s %s: close: %v", method, path, err)
	}
	if err != nil {
		c.t.Fatalf("%s %s: read: %v", method, path, err)
	}
	if err := c.check(c.request(method, path, sent), response, got); err != nil {
		c.t.Fatalf("%s %s: %d %v\n%s", method, path, response.StatusCode, err, got)
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: got, t: c.t}
}

// check holds a response to the document. HEAD is GET without the body, of which nothing is left to check.
func (c *Client) check(r *http.Request, response *http.Response, body []byte) error {
	if r.Method == http.MethodHead {
		return nil
	}
	again := *response
	again.Body = io.NopCloser(bytes.NewReader(body))
	template, ok := c.contract.find(r.Method, r.URL.EscapedPath())
	if !ok {
		return c.contract.checkProblem(&again)
	}
	return c.contract.checkResponse(r.Method, template, &again)
}

func (c *Client) request(method, path string, body []byte) *http.Request {
	c.t.Helper()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, reader)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	return r
}

func (c *Client) encode(body any) []byte {
	c.t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(b)
	case []byte:
		return b
	}
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatalf("encode %T: %v", body, err)
	}
	return text
}

// Must fails the test when the status is another one.
func (r *Response) Must(status int) *Response {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("status %d, want %d\n%s", r.Status, status, r.Body)
	}
	return r
}

// Into reads the body into v. Numbers that are read into an any keep their digits, as json.Number.
func (r *Response) Into(v any) *Response {
	r.t.Helper()
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		r.t.Fatalf("answer: %v\n%s", err, r.Body)
	}
	return r
}

// Package openapi holds the contract of the HTTP API: one OpenAPI 3.1 document, which the server
// serves at /v1/openapi.yaml and to which the tests hold routes, requests and responses. It is a
// package only so that the document is part of every binary that serves it.
package openapi

import _ "embed"

// Document is openapi.yaml.
//
//go:embed openapi.yaml
var Document []byte

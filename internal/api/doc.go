// Package api is Detent over HTTP: it reads a request, calls the engine, and writes the answer. It
// decides nothing itself.
//
// Four tables hold what others scatter over handlers:
//
//   - routes: every method and path, with the query parameters and kinds of body that it takes. What
//     the row does not name is refused before the handler runs, so nothing that a caller sends is
//     silently ignored.
//   - problems: every error code with its status and title. An error becomes an RFC 9457 problem in one
//     place; the text for the caller and the cause for the log are different fields, and the cause
//     never leaves the process.
//   - the limits: sizes, waits and pages, with the reason of each.
//   - api/openapi.yaml: the contract. Tests hold the two tables to it in both directions, and the
//     client in apitest refuses every request and response that it does not describe.
//
// Numbers pass through exactly. A body is handed to the engine as the bytes that came, and what the
// engine answers in JSON is written as it is: no number is ever a float64 in between.
//
// Paths are matched in their escaped form, so that "a%2Fb" is one id with a slash in it (which the
// engine then refuses by its rules) and never two segments; there are no redirects.
//
// A call that waits (a create for the first macrostep, an event for its outcome) waits within its own
// deadline, and the running out of that is not an error: what was accepted is accepted, and the answer
// says how far it came. When the server stops, waits end at once, by the same answer.
//
// The package imports engine, store (through engine's types only) and the embedded document.
package api

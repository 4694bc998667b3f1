package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/detent-run/detent/internal/engine"
)

// handle answers a request, or returns the error that becomes a problem. It writes only when it
// returns nil.
type handle func(*api, http.ResponseWriter, *request) error

// route is one row of the table of routes.
type route struct {
	method    string
	pattern   string
	operation string   // its operationId in the OpenAPI document
	query     []string // every query parameter that it takes
	body      []string // every media type that it takes, the one assumed first; nil when it takes no body
	handle    handle
}

// routes is the whole REST surface. Every GET answers HEAD as well.
var routes = []route{
	{"POST", "/v1/definitions/{name}/versions", "registerDefinition", nil, documents, (*api).registerDefinition},
	{"POST", "/v1/definitions:validate", "validateDefinition", nil, documents, (*api).validateDefinition},
	{"GET", "/v1/definitions", "listDefinitions", []string{"limit", "pageToken"}, nil, (*api).listDefinitions},
	{"GET", "/v1/definitions/{name}", "listVersions", []string{"limit", "pageToken"}, nil, (*api).listVersions},
	{"GET", "/v1/definitions/{name}/versions/{version}", "readDefinition", nil, nil, (*api).readDefinition},

	{"POST", "/v1/machines", "createMachine", []string{"wait", "timeout"}, jsonOnly, (*api).createMachine},
	{"GET", "/v1/machines", "listMachines", []string{"definition", "status", "limit", "pageToken"}, nil, (*api).listMachines},
	{"GET", "/v1/machines/{id}", "readMachine", nil, nil, (*api).readMachine},
	{"POST", "/v1/machines/{id}/events", "sendEvent", []string{"wait", "timeout"}, jsonOnly, (*api).sendEvent},
	{"POST", "/v1/events:batch", "sendEvents", nil, batches, (*api).sendEvents},
	{"GET", "/v1/machines/{id}/history", "readHistory", []string{"afterSeq", "limit"}, nil, (*api).readHistory},
	{"GET", "/v1/machines/{id}/timers", "readTimers", []string{"limit"}, nil, (*api).readTimers},

	{"GET", "/healthz", "health", nil, nil, (*api).health},
	{"GET", "/readyz", "ready", nil, nil, (*api).ready},
	{"GET", "/metrics", "metrics", nil, nil, (*api).serveMetrics},
	{"GET", "/v1/openapi.yaml", "openapi", nil, nil, (*api).openAPI},
}

// unmatched answers what no row of the table matches.
var unmatched = route{pattern: "unmatched", operation: "unmatched", handle: (*api).refuseRoute}

// label names the route where requests are counted.
func (rt *route) label() string {
	return strings.TrimSpace(rt.method + " " + rt.pattern)
}

func (a *api) newRouter(table []route) *chi.Mux {
	mux := chi.NewRouter()
	mux.Use(matchEscaped)
	for i := range table {
		rt := &table[i]
		mux.Method(rt.method, rt.pattern, a.endpoint(rt))
		if rt.method == http.MethodGet {
			mux.Method(http.MethodHead, rt.pattern, a.endpoint(rt))
		}
	}
	mux.NotFound(a.endpoint(&unmatched))
	mux.MethodNotAllowed(a.endpoint(&unmatched))
	return mux
}

// matchEscaped has every path matched as it was sent. chi by itself does so only for a path whose
// escaping is unusual, and then a parameter's form depends on the other segments.
func matchEscaped(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chi.RouteContext(r.Context()).RoutePath = r.URL.EscapedPath()
		next.ServeHTTP(w, r)
	})
}

// refuseRoute tells an unknown path from a known one that is asked for by another method.
func (a *api) refuseRoute(w http.ResponseWriter, q *request) error {
	path := q.URL.EscapedPath()
	allowed := a.allowed(path)
	if len(allowed) == 0 {
		return unknownRoute(path)
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	return &engine.Error{Code: codeMethodNotAllowed, Message: fmt.Sprintf("%s takes %s, not %s", shown(path), list, shown(q.Method))}
}

// emptySegment reports whether the path has a segment without text. chi takes one in the middle of a
// path for a parameter; but what has no name is not there.
func emptySegment(path string) bool { return strings.Contains(path, "//") }

func unknownRoute(path string) error {
	return &engine.Error{Code: codeUnknownRoute, Message: fmt.Sprintf("nothing is at %s: /v1/openapi.yaml lists what there is", shown(path))}
}

func (a *api) allowed(path string) []string {
	var methods []string
	if emptySegment(path) {
		return nil
	}
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if a.router.Match(chi.NewRouteContext(), m, path) {
			methods = append(methods, m)
		}
	}
	return methods
}

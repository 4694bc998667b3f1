package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
)

// stoppingKey finds the context that ends when the server begins to stop.
type stoppingKey struct{}

// Serve answers requests until ctx ends. Then it takes no more, has the waits under way answered as
// far as they came, and gives the other requests 15 s to end. It closes the listener.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	server := newServer(ctx, h, log)
	stopped := make(chan error, 1)
	detach := context.AfterFunc(ctx, func() {
		// A fresh context: ctx has ended, and the requests under way have not.
		within, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		err := server.Shutdown(within)
		if err != nil {
			err = errors.Join(err, server.Close())
		}
		stopped <- err
	})
	err := server.Serve(ln)
	if detach() {
		return err // it failed by itself
	}
	return <-stopped
}

// newServer returns a server with the limits that net/http leaves open.
func newServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       requestWithin,
		WriteTimeout:      requestWithin,
		IdleTimeout:       idleFor,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), stoppingKey{}, ctx)
		},
	}
}

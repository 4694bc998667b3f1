// Command healthcheck asks the server of the same container whether it is ready, and says so by its
// exit code. The image has no shell and no curl, so Docker's health check needs a program of ours.
//
// It reads DETENT_ADDR as the server does, and prints what is wrong.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/detent-run/detent/internal/settings"
)

// timeout is shorter than Docker's own (30 s), so that it is we who say what took too long.
const timeout = 5 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := run(ctx, os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, "detent:", err)
		os.Exit(1)
	}
}

// run returns nil when the server answers that it is ready.
func run(ctx context.Context, environ []string) error {
	s, err := settings.Load(environ)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(s.Addr)+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return fmt.Errorf("the server is not ready: %s: %s", resp.Status, why)
	}
	return nil
}

// reachable turns an address to listen on into one to connect to: "all interfaces" is not a place.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // settings have checked it
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

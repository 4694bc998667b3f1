package store_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy is a network between a store and its database that can fail.
type proxy struct {
	url      string // through it
	listener net.Listener
	server   string
	mode     atomic.Int32
	open     atomic.Int32 // connections that the client has not closed

	mu    sync.Mutex
	conns []net.Conn
}

// How the network behaves. It changes for connections that exist as well.
const (
	passing   = iota
	deaf      // what the client sends is thrown away, and the connection cut
	mute      // what the client sends arrives; the answer is thrown away, and the connection cut
	blackHole // nothing arrives, and nobody is told
)

func newProxy(t *testing.T, through string) *proxy {
	t.Helper()
	u, err := url.Parse(through)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, server: u.Host}
	u.Host = l.Addr().String()
	p.url = u.String()
	t.Cleanup(p.close)
	go p.serve()
	return p
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		p.mu.Unlock()
		p.open.Add(1)
		go func() {
			defer p.open.Add(-1)
			p.pass(server, client, deaf)
		}()
		go p.pass(client, server, mute)
	}
}

// pass moves bytes to where they go, until the network breaks in the way that concerns this direction.
func (p *proxy) pass(to, from net.Conn, broken int32) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		mode := p.mode.Load()
		if mode == blackHole {
			if err != nil {
				return
			}
			continue
		}
		if err != nil || mode == broken {
			to.Close()
			from.Close()
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			from.Close()
			return
		}
	}
}

func (p *proxy) close() {
	p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		io.Closer(c).Close()
	}
}

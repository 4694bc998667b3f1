package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// client is one kept-alive connection to the server. It speaks just as much HTTP as the server's answers
// need: net/http's client would use several times the processor time, which here is the server's.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
}

// answerWithin is how long an answer may take before the run is given up.
const answerWithin = 30 * time.Second

func dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 32<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// do sends a request and reads its answer, which is valid until the next call. key is the
// Idempotency-Key, "" for none.
func (c *client) do(method, path, media, key string, body []byte) (status int, answer []byte, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		return 0, nil, err
	}
	out := append(c.out[:0], method...)
	out = append(out, ' ')
	out = append(out, path...)
	out = append(out, " HTTP/1.1\r\nHost: detent\r\n"...)
	if key != "" {
		out = append(append(append(out, "Idempotency-Key: "...), key...), "\r\n"...)
	}
	if body != nil {
		out = append(append(append(out, "Content-Type: "...), media...), "\r\nContent-Length: "...)
		out = append(strconv.AppendInt(out, int64(len(body)), 10), "\r\n"...)
	}
	out = append(append(out, "\r\n"...), body...)
	c.out = out
	if _, err := c.conn.Write(out); err != nil {
		return 0, nil, err
	}
	return c.read()
}

// read reads an answer, whose length the server always gives.
func (c *client) read() (status int, answer []byte, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("status line %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, fmt.Errorf("status line %q: %w", line, err)
	}
	length := -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		name, content, ok := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if !ok {
			break
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(content))); err != nil {
				return 0, nil, err
			}
		}
	}
	if length < 0 {
		return 0, nil, fmt.Errorf("an answer without its length")
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
	return status, c.body, err
}

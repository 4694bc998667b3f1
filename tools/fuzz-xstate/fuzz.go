package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/detent-run/detent/internal/conformance"
)

// shapes are the sorts of machines that take turns, as arguments of the generator.
var shapes = [][]string{
	{"--prefix=small", "--nodes=13", "--steps=8"},
	{"--prefix=family", "--nodes=15", "--steps=10", "--children"},
	{"--prefix=large", "--nodes=60", "--depth=6", "--steps=16"},
	{"--prefix=flat", "--nodes=24", "--depth=2", "--steps=12"},
}

// chunk is how many cases one run of the generator makes.
const chunk = 100

// fuzz makes the cases in chunks, some at the same time, and checks each as it comes.
func fuzz(ctx context.Context, s settings, t *tally) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.workers)
	for i := 0; i*chunk < s.cases; i++ {
		g.Go(func() error {
			return generate(ctx, s.seed+int64(i), min(chunk, s.cases-i*chunk), shapes[i%len(shapes)], t)
		})
	}
	return g.Wait()
}

// generate makes one chunk. XState runs inside the generator: it chooses the steps by what XState shows.
func generate(ctx context.Context, seed int64, count int, shape []string, t *tally) error {
	args := append([]string{"fuzz/generate.mjs", "--quiet", "--seed=" + strconv.FormatInt(seed, 10), "--count=" + strconv.Itoa(count)}, shape...)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = oracle
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	checkErr := checkAll(out, t)
	if err := cmd.Wait(); err != nil && checkErr == nil {
		return fmt.Errorf("node %v: %w\n%s", args, err, complaint.Bytes())
	}
	return checkErr
}

// checkAll checks cases as they come, one a line.
func checkAll(cases io.Reader, t *tally) error {
	r := bufio.NewReader(cases)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		read, err := conformance.Read("generator", bytes.NewReader(line))
		if err != nil {
			return err
		}
		for _, c := range read {
			if err := t.add(conformance.Check(c, conformance.Options{Strict: true}), line); err != nil {
				return err
			}
		}
	}
}

// tally counts, and keeps what failed.
type tally struct {
	mu             sync.Mutex
	out            io.Writer
	file           string
	kept           *os.File
	passed, failed int
}

func (t *tally) add(v conformance.Verdict, line []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v.Passed() {
		t.passed++
		return nil
	}
	t.failed++
	fmt.Fprintf(t.out, "FAIL %s\n%s\n", v.Name, v)
	if t.kept == nil {
		var err error
		if t.kept, err = os.Create(t.file); err != nil {
			return err
		}
	}
	_, err := t.kept.Write(line)
	return err
}

func (t *tally) close() {
	if t.kept != nil {
		t.kept.Close()
	}
}

package conformance

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/detent-run/detent/internal/machine/value"
)

// maxFile bounds how large a case file may be after it is unpacked.
const maxFile = 1 << 30

// ErrTooLarge is returned for a case file beyond the limit of 1 GiB.
var ErrTooLarge = errors.New("more than 1 GiB of cases")

// Load reads the cases of a file; "-" is standard input. See Read about its form.
func Load(name string) ([]*Case, error) {
	if name == "-" {
		return Read("standard input", os.Stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(name, file)
}

// Read reads cases: a JSON array of them, a single one, or JSON lines, any of them compressed with
// gzip or not. The error names the file, and the case or the line. A case without a name is called
// by the file's name and its number.
func Read(name string, r io.Reader) ([]*Case, error) {
	text, err := unpacked(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	values, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	cases := make([]*Case, len(values))
	for i, v := range values {
		if cases[i], err = decodeCase(v); err != nil {
			return nil, fmt.Errorf("%s: case %d %s: %w", name, i+1, v.Get("name"), err)
		}
		if cases[i].Name == "" {
			cases[i].Name = fmt.Sprintf("%s#%d", name, i+1)
		}
	}
	return cases, nil
}

// unpacked reads everything, and undoes gzip when the first two bytes say so.
func unpacked(r io.Reader) ([]byte, error) {
	text, err := readAll(r)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, err
	}
	packed, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return readAll(packed)
}

func readAll(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = ErrTooLarge
	}
	return text, err
}

// parse returns the cases of a text in any of the three forms. A text whose first line is a value by
// itself, with more to follow, is JSON lines.
func parse(text []byte) ([]value.Value, error) {
	text = bytes.TrimSpace(text)
	first, _, more := bytes.Cut(text, []byte("\n"))
	if more {
		if _, err := value.Parse(first); err == nil {
			return parseLines(text)
		}
	}
	v, err := value.Parse(text)
	switch {
	case err != nil:
		return nil, err
	case v.Kind() == value.Array:
		return v.Elems(), nil
	default:
		return []value.Value{v}, nil
	}
}

func parseLines(text []byte) ([]value.Value, error) {
	var values []value.Value
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := value.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		values = append(values, v)
	}
	return values, nil
}

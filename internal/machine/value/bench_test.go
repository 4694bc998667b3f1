package value

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// snapshotLike is a text of the size and the kind that the engine reads most: a context with some
// records, long and short keys, texts with few escapes.
func snapshotLike() []byte {
	var b strings.Builder
	b.WriteString(`{"status":"active","value":{"open":"paying"},"context":{"orderId":"o-4711","total":1999.95,"note":"line\nbreak","items":[`)
	for i := range 40 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"sku":"SKU-%05d","quantity":%d,"price":%d.25,"gift":%t,"comment":null}`, i, i%7, 10+i, i%2 == 0)
	}
	b.WriteString(`]},"children":{},"historyValue":{}}`)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	text := snapshotLike()
	b.Run("value", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var v any
			if err := json.Unmarshal(text, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	text := snapshotLike()
	b.Run("value", func(b *testing.B) {
		v, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		var buffer []byte
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			buffer = v.AppendJSON(buffer[:0])
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

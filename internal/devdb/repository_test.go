package devdb

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// repository is a Maven repository that has one archive, or none, under every name.
type repository struct {
	t       *testing.T
	archive []byte
	sum     string // instead of the right one
	jars    atomic.Int32
}

func (r *repository) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if r.archive == nil || !strings.HasPrefix(req.URL.Path, "/io/zonky/test/postgres/") {
		http.NotFound(w, req)
		return
	}
	answer := r.archive
	if strings.HasSuffix(req.URL.Path, ".sha256") {
		sum := sha256.Sum256(r.archive)
		answer = []byte(hex.EncodeToString(sum[:]))
		if r.sum != "" {
			answer = []byte(r.sum)
		}
	} else {
		r.jars.Add(1)
	}
	if _, err := w.Write(answer); err != nil {
		r.t.Error(err)
	}
}

// programArchive packs the machine's own programs as the repository's jars do: a zip with a tar.xz. The
// programs are packed as links, for they look for their files from where they really are.
func programArchive(t *testing.T) []byte {
	t.Helper()
	installed := candidates()
	if len(installed) == 0 {
		t.Fatal("no Postgres is installed here")
	}
	var packed bytes.Buffer
	tw := tar.NewWriter(&packed)
	for _, name := range programs {
		h := &tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + name, Linkname: filepath.Join(installed[0], name), Mode: 0o755}
		if err := tw.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	zw := zip.NewWriter(&jar)
	w, err := zw.Create("postgres.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(xzStored(packed.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}

// xzStored wraps data, up to 64 KiB, in the xz format without compressing it. The standard library
// has no xz, and the tests should not need a program for it. The parts are those of the format's
// specification: stream header, one block with one uncompressed LZMA2 chunk, index, stream footer.
func xzStored(data []byte) []byte {
	le, sum := binary.LittleEndian, crc32.ChecksumIEEE
	flags := []byte{0, 1} // the check of blocks is CRC32
	out := append([]byte("\xfd7zXZ\x00"), flags...)
	out = le.AppendUint32(out, sum(flags))

	block := []byte{2, 0, 0x21, 1, 8, 0, 0, 0} // 12 bytes of header, one filter: LZMA2 with a 64 KiB dictionary
	block = le.AppendUint32(block, sum(block))
	block = append(block, 1) // an uncompressed chunk that resets the dictionary
	block = binary.BigEndian.AppendUint16(block, uint16(len(data)-1))
	block = append(append(block, data...), 0)
	unpadded := len(block) + 4
	for len(block)%4 != 0 {
		block = append(block, 0)
	}
	block = le.AppendUint32(block, sum(data))
	out = append(out, block...)

	index := binary.AppendUvarint([]byte{0, 1}, uint64(unpadded))
	index = binary.AppendUvarint(index, uint64(len(data)))
	for len(index)%4 != 0 {
		index = append(index, 0)
	}
	index = le.AppendUint32(index, sum(index))
	out = append(out, index...)

	footer := append(le.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	out = le.AppendUint32(out, sum(footer))
	return append(append(out, footer...), "YZ"...)
}

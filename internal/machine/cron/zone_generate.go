//go:build ignore

// Zone_generate copies the time zone database that Go ships into zoneinfo.zip, compressed.
package main

import (
	"archive/zip"
	"bytes"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	from, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return err
	}
	defer from.Close()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, file := range from.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		reader, err := file.Open()
		if err != nil {
			return err
		}
		// No modification time, so that the same database gives the same bytes.
		writer, err := to.CreateHeader(&zip.FileHeader{Name: file.Name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := io.Copy(writer, reader); err != nil {
			return err
		}
	}
	if err := to.Close(); err != nil {
		return err
	}
	return os.WriteFile("zoneinfo.zip", out.Bytes(), 0o644)
}

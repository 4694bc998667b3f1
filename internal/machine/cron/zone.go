package cron

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"
)

//go:generate go run zone_generate.go

// zoneinfo is the IANA time zone database as Go ships it, compressed.
//
//go:embed zoneinfo.zip
var zoneinfo string

// loadZone returns the zone of an IANA name from the embedded database, and from nowhere else.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	archive, err := zip.NewReader(strings.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		return nil, fmt.Errorf("embedded time zones: %w", err)
	}
	hint := "names are those of the IANA database, such as Europe/Berlin"
	for _, file := range archive.File {
		if file.Name == name {
			return readZone(file)
		}
		if strings.EqualFold(file.Name, name) {
			hint = "did you mean " + file.Name + "?"
		}
	}
	return nil, fmt.Errorf("unknown time zone %q: %s", shorten(name), hint)
}

func readZone(file *zip.File) (*time.Location, error) {
	reader, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("embedded time zone %s: %w", file.Name, err)
	}
	rules, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("embedded time zone %s: %w", file.Name, err)
	}
	return time.LoadLocationFromTZData(file.Name, rules)
}

//go:build backfill

// Backfill loads old readings from files into the store. It is kept behind a
// build tag because it is run by hand, once per station.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"
	"tidewatch/feed"
	"tidewatch/gauge"
	"time"

	"encoding/json"
	"path/filepath"
	"tidewatch/store"
)

const chunk = 500

type progress struct {
	Files   int
	Lines   int
	Skipped int
	Started time.Time
}

func (p *progress) report() {
	fmt.Println("files", p.Files, "lines", p.Lines, "skipped", p.Skipped)
}

func collect(root, ext string, recursive bool) []string {
	pattern := filepath.Join(root, "*."+ext)
	files, _ := filepath.Glob(pattern)
	fmt.Println("found", len(files))
	return files
}

func backfill(st feed.Sink, path string, p *progress) error {
	rs, err := feed.ParseFile(path)
	if err != nil {
		return err
	}
	for start := 0; start < len(rs); start += chunk {
		end := start + chunk
		if end > len(rs) {
			end = len(rs)
		}
		var keep []gauge.Reading
		for _, r := range rs[start:end] {
			if r.Validate() != nil {
				p.Skipped++
				continue
			}
			keep = append(keep, r)
		}
		if err := st.Write(keep); err != nil {
			return fmt.Errorf("backfill %s: %w", path, err)
		}
		p.Lines += len(keep)
	}
	p.Files++
	return nil
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: backfill FOLDER")
	}
	st, err := store.OpenFile(".", "backfill.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	p := &progress{Started: time.Now()}
	for _, path := range collect(os.Args[1], "txt", false) {
		if err := backfill(st, path, p); err != nil {
			log.Printf("%s: %v", path, err)
		}
	}
	p.report()
}

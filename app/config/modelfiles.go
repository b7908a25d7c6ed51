package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const mostThreads = 256 // of package infer

// modelFiles reads the table [model_files]. A mistake in it is named, and the line is as if it were not there.
func (r *reader) modelFiles(top *table) (m ModelFiles) {
	own := *top
	own.problems = &r.unknown
	t := own.table("model_files")
	if text := t.text("memory"); t.has("memory") && text != "" {
		size, is := Size(text)
		if !is {
			t.refuse("memory", fmt.Sprintf("%q is no size", text), `write one such as "8GB" or "500MB"`)
		}
		m.Memory = size
	}
	if text := t.text("keep"); t.has("keep") && text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			t.refuse("keep", fmt.Sprintf("%q is no time", text), `write one such as "10m" or "1h30m"; "0s" keeps none`)
		} else {
			m.Keep = &d
		}
	}
	if n := t.number("threads", 1, mostThreads); n != nil {
		m.Threads = *n
	}
	t.rest()
	return m
}

// Size returns the bytes of a text such as 500MB, 2 GB or 1.5GiB. false: it is no size.
func Size(s string) (int64, bool) {
	s = strings.ToUpper(strings.ReplaceAll(s, " ", ""))
	number := strings.TrimRight(s, "KMGTIB")
	factor, known := map[string]float64{"": 1, "B": 1, "K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9,
		"T": 1e12, "TB": 1e12, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}[s[len(number):]]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !known || !(n*factor >= 1) || n*factor > math.MaxInt64/2 {
		return 0, false
	}
	return int64(n * factor), true
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// seed is a request with slots in the place of a project's names.
type seed struct {
	style string
	class string // an operation, linear.Decline or compound
	parts []part
	fixed map[string]string // what the wording fixes: kind=func
	ops   []meaning         // of a compound: its operations
	place string            // FILE:LINE, for messages
}

// aloud reports whether the requests of the style are dictated, names in words.
func (s seed) aloud() bool { return s.style == "dictation" || s.style == "spoken" }

// meaning is an operation and what the wording fixes of it. A fixed argument may name a slot
// of the request: func={1.to}.
type meaning struct {
	op    string
	fixed map[string]string
}

// part is fixed text, or a slot.
type part struct {
	text string
	slot string
}

// compound is the class of requests for two operations.
const compound = "compound"

var slotAt = regexp.MustCompile(`\{[a-z0-9.]+\}`)

// readSeeds reads every style's file of a folder, in the order of their names.
func readSeeds(folder string) ([]seed, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("list the seeds: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no seeds (*.txt) in %s", folder)
	}
	slices.Sort(files)
	var out []seed
	for _, f := range files {
		s, err := readStyle(f)
		if err != nil {
			return nil, err
		}
		out = append(out, s...)
	}
	return out, nil
}

func readStyle(file string) ([]seed, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the seeds: %w", err)
	}
	defer f.Close()
	style := strings.TrimSuffix(filepath.Base(file), ".txt")
	var out []seed
	section := ""
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = name
			continue
		}
		if line == "" {
			continue
		}
		seeds, err := parseSeed(section, line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		for _, s := range seeds {
			s.style, s.place = style, fmt.Sprintf("%s:%d", filepath.Base(file), n)
			out = append(out, s)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the seeds: %w", err)
	}
	return out, nil
}

// parseSeed reads one line of a section. A compound gives its two clauses as well.
func parseSeed(section, line string) ([]seed, error) {
	text, meaning, _ := strings.Cut(line, " => ")
	switch section {
	case "":
		return nil, fmt.Errorf("%q is before the first section", line)
	case "near-miss", "out-of-scope":
		return []seed{{class: "decline", parts: cut(text)}}, nil
	case "incomplete":
		ops := strings.Fields(meaning)
		if len(ops) == 0 {
			return nil, fmt.Errorf("%q lacks its operation", line)
		}
		return []seed{{class: ops[0], parts: cut(text), fixed: fixedArgs(ops[1:])}}, nil
	case "compound":
		return parseCompound(text, meaning)
	}
	return []seed{{class: section, parts: cut(text), fixed: fixedArgs(strings.Fields(meaning))}}, nil
}

func cut(text string) []part {
	var out []part
	at := 0
	for _, m := range slotAt.FindAllStringIndex(text, -1) {
		if m[0] > at {
			out = append(out, part{text: text[at:m[0]]})
		}
		out = append(out, part{slot: text[m[0]+1 : m[1]-1]})
		at = m[1]
	}
	if at < len(text) {
		out = append(out, part{text: text[at:]})
	}
	return out
}

func fixedArgs(fields []string) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		if k, v, ok := strings.Cut(f, "="); ok {
			m[k] = v
		}
	}
	return m
}

// joiners separate clauses.
var joiners = []string{"; then ", ", and then ", " and then ", ", then ", ". then ", "; ", ". ", " and also ", ", and ",
	" und dann ", ", dann ", " and ", " und ", " then ", " plus ", " + ", " & ", ", "}

// parseCompound reads a compound, and each of its clauses if a joiner stands between them.
func parseCompound(text, means string) ([]seed, error) {
	ops := strings.Split(means, ";")
	if len(ops) < 2 {
		return nil, fmt.Errorf("%q names no second operation", text)
	}
	whole := seed{class: compound, parts: cut(text)}
	for _, m := range ops {
		fields := strings.Fields(m)
		if len(fields) == 0 {
			return nil, fmt.Errorf("%q: an operation is missing", text)
		}
		whole.ops = append(whole.ops, meaning{fields[0], fixedArgs(fields[1:])})
	}
	out := []seed{whole}
	if len(ops) > 2 {
		return out, nil
	}
	first, second, ok := splitClauses(text)
	if !ok {
		return out, nil
	}
	for i, clause := range []string{first, second} {
		clause = strings.ReplaceAll(clause, fmt.Sprintf("{%d.", i+1), "{")
		if strings.Contains(clause, "{1.") || strings.Contains(clause, "{2.") {
			return out, nil // a clause that names what is the other's
		}
		s := seed{class: whole.ops[i].op, parts: cut(clause), fixed: map[string]string{}}
		for k, v := range whole.ops[i].fixed {
			if strings.HasPrefix(v, "{") {
				v = "@" // it is pointed at: "document it"
			}
			s.fixed[k] = v
		}
		out = append(out, s)
	}
	return out, nil
}

// splitClauses cuts a compound at the joiner between the last slot of the first clause and
// the first slot of the second.
func splitClauses(text string) (first, second string, ok bool) {
	from, to := strings.LastIndex(text, "{1."), strings.Index(text, "{2.")
	if to < 0 {
		to = len(text)
	}
	if from < 0 {
		from = 0
	} else {
		from += strings.Index(text[from:], "}") + 1
	}
	if from > to {
		return "", "", false
	}
	between := strings.ToLower(text[from:to])
	for _, j := range joiners {
		if i := strings.Index(between, j); i >= 0 {
			a, b := text[:from+i], text[from+i+len(j):]
			return a, b, strings.TrimSpace(a) != "" && len(strings.Fields(b)) > 0
		}
	}
	return "", "", false
}

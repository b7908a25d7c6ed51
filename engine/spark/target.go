package spark

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
)

// targetKeys are the captures that say where a clause applies.
var targetKeys = []string{"@file", "@everywhere", "@this", "@from", "@to", "@lead"}

// place is where one clause applies, as the request says it.
type place struct {
	file       string // as written
	from, to   int
	everywhere bool
	this       string // "file" or "selection": what the user has open or selected
	lead       bool   // named before the clause: it governs those after it, too
	whole      bool   // the file is named: what is selected in it does not matter
}

func placeOf(c clause) place {
	get := func(k string) string { v, _ := c.caps.get(k); return v }
	p := place{file: get("@file"), this: get("@this"), lead: get("@lead") != ""}
	p.from, _ = strconv.Atoi(get("@from"))
	p.to, _ = strconv.Atoi(get("@to"))
	if p.to == 0 {
		p.to = p.from
	}
	// A rename reaches every use anyway; the open file still says which declaration is meant.
	p.everywhere = get("@everywhere") != "" && c.op.name != "rename"
	p.whole = (p.file != "" || p.this == "file") && c.op.pointed == "" && c.op.name != "rename" && !c.points()
	return p
}

func (p place) none() bool { return p.file == "" && p.from == 0 && !p.everywhere && p.this == "" }

// placeFor is the one place that all clauses agree on. There is one target for
// a program, so clauses about different places are two requests.
func placeFor(clauses []clause) (place, string) {
	places := make([]place, len(clauses))
	for i, c := range clauses {
		places[i] = placeOf(c)
	}
	first, last := places[0], places[len(places)-1]
	if first.lead {
		for _, p := range places[1:] {
			if !p.none() {
				return place{}, "it names more than one place; make it one request for each"
			}
		}
		first.lead = false
		return first, ""
	}
	if slices.ContainsFunc(places[1:], func(p place) bool { return p.lead }) {
		return place{},
			"a place in the middle of the request does not say what it applies to; make it one request for each file"
	}
	if !slices.ContainsFunc(places, func(p place) bool { return p != last }) {
		return last, ""
	}
	if onlyLast(places) && !slices.ContainsFunc(clauses, clause.hasSubject) {
		return last, ""
	}
	return place{},
		"it names a place for one part and not for the others; say `in FILE, ...` first, or make it several requests"
}

func onlyLast(places []place) bool {
	return !slices.ContainsFunc(places[:len(places)-1], func(p place) bool { return !p.none() })
}

// hasSubject reports whether the clause names what it is about by itself.
func (c clause) hasSubject() bool {
	for _, arg := range []string{"symbol", "func", "type", "name", "from"} {
		if c.args[arg] != "" {
			return true
		}
	}
	return false
}

// target resolves the place against what is open and what files there are.
func (p place) target(c Context, files *fileIndex) (refactor.Target, *refactor.Declined) {
	t := c.Target
	switch {
	case p.everywhere:
		t = refactor.Target{}
	case p.file != "":
		file, d := files.resolve(p.file)
		if d != nil {
			return t, d
		}
		if file != t.File {
			t = refactor.Target{File: file}
		}
	}
	if p.this == "file" && t.File == "" {
		return t, &refactor.Declined{Code: refactor.NoFile, Reason: "no file is open",
			Nearest: []string{"name the file: ... in server.go"}}
	}
	if p.from > 0 {
		return p.lines(t)
	}
	if p.whole {
		t.From, t.To = 0, 0
	}
	if p.this == "selection" && t.From == 0 {
		return t, noSelection()
	}
	return t, nil
}

func (p place) lines(t refactor.Target) (refactor.Target, *refactor.Declined) {
	if t.File == "" {
		return t, &refactor.Declined{Code: refactor.NoFile, Reason: fmt.Sprintf("line %d of which file?", p.from),
			Nearest: []string{fmt.Sprintf("lines %d-%d of server.go", p.from, p.to)}}
	}
	if p.to < p.from {
		return t, &refactor.Declined{Reason: fmt.Sprintf("lines %d-%d end before they begin", p.from, p.to)}
	}
	t.From, t.To = p.from, p.to
	return t, nil
}

func noSelection() *refactor.Declined {
	return &refactor.Declined{Code: refactor.Ambiguous, Reason: "nothing is selected",
		Nearest: []string{"name it", "give the lines: ... on lines 3-5 of server.go"}}
}

// fileIndex answers which of the project's files a name in a request means.
type fileIndex struct {
	files []string
	seen  map[string][]string
}

func newFileIndex(files []string) *fileIndex {
	return &fileIndex{files: files, seen: map[string][]string{}}
}

// matches lists the files whose path is the name or ends with it.
func (x *fileIndex) matches(name string) []string {
	name = strings.TrimPrefix(name, "./")
	if fs, ok := x.seen[name]; ok {
		return fs
	}
	var fs []string
	for _, f := range x.files {
		if f == name {
			fs = []string{f}
			break
		}
		if strings.HasSuffix(f, name) && f[len(f)-len(name)-1] == '/' {
			fs = append(fs, f)
		}
	}
	x.seen[name] = fs
	return fs
}

// isFile reports whether the name is one of the project's files or looks like a source file.
func (x *fileIndex) isFile(name string) bool {
	return hasSourceExt(name) || len(x.matches(name)) > 0
}

// claims reports whether a dotted name is a file rather than a symbol.
func (x *fileIndex) claims(name string) bool {
	return strings.Contains(name, ".") && x.isFile(name)
}

func (x *fileIndex) resolve(name string) (string, *refactor.Declined) {
	fs := x.matches(name)
	switch {
	case len(fs) == 1:
		return fs[0], nil
	case len(fs) > 1:
		return "", &refactor.Declined{Code: refactor.Ambiguous, Reason: fmt.Sprintf("%d files are called %s", len(fs), name),
			Nearest: fs[:min(len(fs), 5)]}
	case path.IsAbs(name) || strings.HasPrefix(name, ".."):
		return "", &refactor.Declined{Code: refactor.NoFile, Reason: name + " is outside the project"}
	case x.isFolder(name):
		return "", &refactor.Declined{Code: refactor.NoFile,
			Reason: name + " is a folder; a request can be narrowed to one file"}
	}
	return "", &refactor.Declined{Code: refactor.NoFile, Reason: "no file " + name + " in the project",
		Nearest: x.nearest(name)}
}

func (x *fileIndex) isFolder(name string) bool {
	dir := strings.Trim(name, "/") + "/"
	return slices.ContainsFunc(x.files, func(f string) bool {
		return strings.HasPrefix(f, dir) || strings.Contains(f, "/"+dir)
	})
}

// nearest lists the files whose base names are most like the one asked for.
func (x *fileIndex) nearest(name string) []string {
	want := strings.ToLower(path.Base(name))
	type scored struct {
		file string
		d    int
	}
	var all []scored
	for _, f := range x.files {
		base := strings.ToLower(path.Base(f))
		if d := refactor.Distance(want, base, 3); d <= 3 && d < len(want) {
			all = append(all, scored{f, d})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.d - b.d })
	var fs []string
	for _, s := range all[:min(len(all), 3)] {
		fs = append(fs, s.file)
	}
	return fs
}

// Package lines keeps the lines of Go files within Width columns. It finds the longer lines
// that can be broken, and breaks them as this repository does by hand: after a comma or an
// operator, as far out as the nesting allows and as late as fits.
//
//	src ──> tokens: how wide each line counts       width.go
//	    └─> syntax: where a line may be broken      places.go
//	            └─> the place that costs least ──> gofmt ──> again, until all fit
//
// The check and the repair share one definition: a line is too long if Wrap would break it.
// Lines that cannot be broken stay: a string that would not fit on a line of its own does
// not count, and neither do the inner lines of a raw string.
package lines

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
)

// Width is the maximum number of columns of a line. A tab is one, as for golangci-lint's
// lll.
const Width = 120

// Long returns the lines of a parsed file that must be broken.
func Long(fset *token.FileSet, file *ast.File, src []byte) []int {
	var long []int
	for _, b := range breaks(fset, file, src) {
		long = append(long, b.line)
	}
	return long
}

// mostPasses limits the passes over a file: each breaks every long line once.
const mostPasses = 20

// Wrap returns the file with its long lines broken, formatted by gofmt.
func Wrap(name string, src []byte) ([]byte, error) {
	for range mostPasses {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		found := breaks(fset, file, src)
		if len(found) == 0 {
			return src, nil
		}
		var edits []edit
		for _, b := range found {
			edits = append(edits, b.edits...)
		}
		if src, err = format.Source(apply(src, edits)); err != nil {
			return nil, fmt.Errorf("%s: breaking its long lines made no Go of it: %w", name, err)
		}
	}
	return nil, fmt.Errorf("%s: still has long lines after %d passes", name, mostPasses)
}

// edit replaces the bytes from..to by text.
type edit struct {
	from, to int
	text     string
}

func apply(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// lineBreak is the best way to break one line.
type lineBreak struct {
	line int
	cost int
	place
}

// breaks returns the breaks for the long lines that can be broken, in order.
func breaks(fset *token.FileSet, file *ast.File, src []byte) []lineBreak {
	if ast.IsGenerated(file) {
		return nil
	}
	m := measure(fset.File(file.FileStart), src)
	if len(m.long) == 0 {
		return nil
	}
	best := map[int]lineBreak{}
	for _, p := range places(m, file) {
		line := m.line(p.at)
		if !m.long[line] {
			continue
		}
		cost, ok := m.cost(line, p)
		if b, known := best[line]; ok && (!known || cost < b.cost) {
			best[line] = lineBreak{line, cost, p}
		}
	}
	found := make([]lineBreak, 0, len(best))
	for _, b := range best {
		found = append(found, b)
	}
	slices.SortFunc(found, func(a, b lineBreak) int { return cmp.Compare(a.line, b.line) })
	return found
}

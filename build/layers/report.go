package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report is the output for a package.
type Report struct {
	Package       string     `json:"package"`
	Files         int        `json:"files"` // without tests
	Lines         int        `json:"lines"`
	Pairs         int        `json:"pairs"`         // of files of which one uses the other
	Names         int        `json:"names"`         // that these use, each counted once for each file that does
	ClimbingNames int        `json:"climbingNames"` // of those
	Climbing      []Climb    `json:"climbing"`      // the pairs that climb
	Layers        [][]string `json:"layers"`        // lowest first
	Order         []string   `json:"order"`         // the row in which these climb, lowest first
	Methods       []Methods  `json:"methods"`       // most first
}

// Climb is a lower file that uses a higher one.
type Climb struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Names []string `json:"names"`
}

// Methods is the number of methods of a type.
type Methods struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

func report(p *pkg) Report {
	row := newGraph(len(p.files), p.uses).order()
	place := make([]int, len(row))
	for i, v := range row {
		place[v] = i
	}
	r := Report{Package: p.path, Files: len(p.files), Pairs: len(p.uses), Climbing: []Climb{}}
	for _, f := range p.files {
		r.Lines += f.lines
	}
	for _, u := range p.uses {
		r.Names += len(u.names)
		if place[u.from] < place[u.to] {
			r.ClimbingNames += len(u.names)
			r.Climbing = append(r.Climbing, Climb{p.files[u.from].name, p.files[u.to].name, u.names})
		}
	}
	for _, v := range row {
		r.Order = append(r.Order, p.files[v].name)
	}
	r.Layers = layers(p, row, place)
	for _, t := range slices.Sorted(maps.Keys(p.methods)) {
		r.Methods = append(r.Methods, Methods{t, p.methods[t]})
	}
	slices.SortStableFunc(r.Methods, func(a, b Methods) int { return cmp.Compare(b.Count, a.Count) })
	return r
}

// layers puts each file one layer above the highest file below it that it uses.
func layers(p *pkg, row, place []int) (out [][]string) {
	height := make([]int, len(row))
	for _, v := range row {
		for _, u := range p.uses {
			if u.from == v && place[u.to] < place[v] {
				height[v] = max(height[v], height[u.to]+1)
			}
		}
		if height[v] == len(out) {
			out = append(out, nil)
		}
		out[height[v]] = append(out[height[v]], p.files[v].name)
	}
	for _, l := range out {
		slices.Sort(l)
	}
	return out
}

func (r Report) print(w io.Writer, o options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d files, %d lines\n", r.Package, r.Files, r.Lines)
	fmt.Fprintf(&b, "  %d of %d uses of one file by another climb (%d of %d names)\n", len(r.Climbing), r.Pairs,
		r.ClimbingNames, r.Names)
	for _, c := range r.Climbing {
		fmt.Fprintf(&b, "    %s -> %s (%d)", c.From, c.To, len(c.Names))
		if o.names {
			fmt.Fprintf(&b, "  %s", strings.Join(c.Names, ", "))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "  %d layers\n", len(r.Layers))
	if o.files {
		for i, l := range slices.Backward(r.Layers) {
			fmt.Fprintf(&b, "    %2d  %s\n", i+1, strings.Join(l, " "))
		}
	}
	b.WriteString("  methods:")
	for i, m := range r.Methods {
		if i == maxTypes && !o.files {
			fmt.Fprintf(&b, " and %d more types", len(r.Methods)-i)
			break
		}
		fmt.Fprintf(&b, " %s %d", m.Type, m.Count)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// maxTypes is the number of types listed with their methods.
const maxTypes = 8

package prompt

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"waferpair/engine/model"
)

// The project map: the tree, with what the files that matter declare.
//
//	app/ (64 files)
//	  turn.go: EditRequest, turns{Edit, target}, startTurn()
//	  also: and the names of others
//	app/server/ (59 files)
//
// Lines are in the order of the tree, whatever the ranking, which decides only how much each file
// shows. The map has no line numbers: each edit would change it.

// level is how much the map shows of a file.
type level uint8

const (
	counted  level = iota // in its folder's number of files
	listed                // its name
	outlined              // what it declares
)

// levels are the files of a map that are not only counted.
type levels map[string]level

// mapDepth is how deep the map lists folders in which nothing matters.
const mapDepth = 2

// mapOf returns the best map that fits into a number of tokens.
func (f *focus) mapOf(budget int, count func(string) int) (string, levels) {
	order := make([]int, len(f.files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.about[b].rank, f.about[a].rank) })
	m := newTree(f, levels{})
	p := purse{count: count, dirs: maps.Clone(m.listed), left: budget - count(m.render())}
	forNames := p.left / 6
	for _, i := range order {
		if p.left < forNames+minOutline {
			break
		}
		line := f.outline(i)
		if cost := p.price(f.files[i]) + count(line) + 2; line != "" && p.left-cost >= forNames {
			p.buy(f.files[i], cost)
			m.levels[f.files[i]] = outlined
		}
	}
	for _, i := range order {
		cost := p.price(f.files[i]) + 1
		if m.levels[f.files[i]] != counted {
			continue
		}
		if p.left < cost+minOutline {
			break
		}
		p.buy(f.files[i], cost)
		m.levels[f.files[i]] = listed
	}
	return m.render(), m.levels
}

// minOutline is the number of tokens below which nothing more is added to a map.
const minOutline = 12

// purse is what is left of a map's tokens.
type purse struct {
	count func(string) int
	dirs  map[string]bool // folders that have a line
	left  int
}

func (p *purse) price(file string) int {
	cost := p.count(path.Base(file)) + 1
	if dir := path.Dir(file); !p.dirs[dir] {
		cost += p.count(dir) + 4
	}
	return cost
}

func (p *purse) buy(file string, cost int) {
	p.left -= cost
	p.dirs[path.Dir(file)] = true
}

// tree is the project's folders.
type tree struct {
	*focus
	levels levels
	below  map[string]int  // number of files in each folder and below
	listed map[string]bool // folders that are shown in any case
}

func newTree(f *focus, l levels) *tree {
	t := &tree{focus: f, levels: l, below: map[string]int{}, listed: map[string]bool{}}
	for i := 0; i < len(f.files); { // files of a folder stand side by side
		dir, n := path.Dir(f.files[i]), 1
		for i += 1; i < len(f.files) && path.Dir(f.files[i]) == dir; i++ {
			n++
		}
		for ; dir != "."; dir = path.Dir(dir) {
			t.below[dir] += n
		}
	}
	for depth := mapDepth; depth > 0; depth-- { // fewer when there are too many
		clear(t.listed)
		for dir := range t.below {
			if strings.Count(dir, "/") < depth {
				t.listed[dir] = true
			}
		}
		if len(t.listed) <= 120 {
			break
		}
	}
	if len(t.listed) > 400 {
		clear(t.listed)
	}
	return t
}

// render returns the map's text.
func (t *tree) render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Project map\n%d files. A folder's number counts all files below it.\n", len(t.files))
	dirs := map[string][]int{} // the files that are shown in each folder
	for i, file := range t.files {
		if t.levels[file] != counted {
			dirs[path.Dir(file)] = append(dirs[path.Dir(file)], i)
		}
	}
	for dir := range t.listed {
		if _, has := dirs[dir]; !has {
			dirs[dir] = nil
		}
	}
	names := make([]string, 0, len(dirs))
	for dir := range dirs {
		names = append(names, dir)
	}
	slices.Sort(names)
	for _, dir := range names {
		t.folder(&b, dir, dirs[dir])
	}
	return b.String()
}

func (t *tree) folder(b *strings.Builder, dir string, files []int) {
	if dir == "." {
		b.WriteString("./\n")
	} else if n := t.below[dir]; n != len(files) {
		fmt.Fprintf(b, "%s/ (%d)\n", dir, n)
	} else {
		fmt.Fprintf(b, "%s/\n", dir)
	}
	var also []string
	for _, i := range files {
		base := path.Base(t.files[i])
		if t.levels[t.files[i]] == outlined {
			fmt.Fprintf(b, "  %s: %s\n", base, t.outline(i))
		} else {
			also = append(also, base)
		}
	}
	if len(also) > 0 {
		fmt.Fprintf(b, "  also: %s\n", strings.Join(also, ", "))
	}
}

// maxOutline is the number of names that a line of the map has at most.
const maxOutline = 40

// outline returns what a file declares, in one line: types with their methods, functions, then
// variables and constants. Fields, locals and test functions would be noise.
func (f *focus) outline(file int) string {
	list := f.of(file)
	methods := map[string][]string{}
	types := map[string]bool{}
	for _, s := range list {
		if s.Owner != "" && (s.Kind == "method" || s.Kind == "func") && !strings.Contains(s.Owner, ".") {
			methods[s.Owner] = append(methods[s.Owner], s.Name)
		}
		types[s.Name] = types[s.Name] || s.Kind == "type" && s.Owner == ""
	}
	var first, last []string
	done := map[string]bool{}
	for _, s := range list {
		name := s.Name
		switch {
		case s.Owner != "" && methods[s.Owner] != nil && !types[s.Owner] && !done[s.Owner]: // declared in another file
			name = s.Owner
		case s.Owner != "" || done[s.Name]:
			continue
		}
		done[name] = true
		switch {
		case methods[name] != nil:
			first = append(first, name+"{"+strings.Join(methods[name], ", ")+"}")
		case s.Kind == "func":
			first = append(first, name+"()")
		case s.Kind == "type":
			first = append(first, name)
		default:
			last = append(last, name)
		}
	}
	names := append(first, last...)
	if n := len(names) - maxOutline; n > 0 {
		names = append(names[:maxOutline:maxOutline], fmt.Sprintf("and %d more", n))
	}
	return clip(strings.Join(names, ", "), 1200)
}

// clip shortens a text to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + " …"
}

// declares returns the declarations of a file with their lines, as an answer cites them.
func declares(list []model.Symbol) string {
	var out []string
	for _, s := range list {
		if s.Kind == "field" || strings.Contains(s.Owner, ".") || s.Owner != "" && s.Kind != "method" && s.Kind != "func" {
			continue
		}
		name := s.Name
		if s.Owner != "" {
			name = s.Owner + "." + name
		}
		out = append(out, fmt.Sprintf("%s %d", name, s.Line))
	}
	return strings.Join(out, ", ")
}

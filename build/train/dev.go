package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"waferpair/engine/refactor"
	"waferpair/engine/spark/link"
	"waferpair/engine/spark/propose"
)

// request is one case of the evaluation set.
type request struct {
	style, text string
	at          refactor.Target
	programs    []refactor.Program // each as right as the others
	likely      []refactor.Program // of a request that has to be asked about
	ask         bool
	decline     bool
	place       string
}

// devSet is a project and requests about it, by one author.
type devSet struct {
	name     string
	table    *link.Table
	requests []request
}

// readDevSet reads DIR/project and DIR/requests.txt.
func readDevSet(dir string, roots []root) (devSet, error) {
	d := devSet{name: filepath.Base(dir)}
	var err error
	if d.table, err = readTable(filepath.Join(dir, "project"), roots); err != nil {
		return d, err
	}
	d.requests, err = readRequests(filepath.Join(dir, "requests.txt"))
	return d, err
}

// readTable reads the symbols of a project, and the names of its files.
func readTable(project string, roots []root) (*link.Table, error) {
	var symbols []link.Symbol
	var files []string
	err := filepath.WalkDir(project, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(project, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		files = append(files, rel)
		for _, r := range roots {
			outliner, ok := r.language.(refactor.Outliner)
			if !ok || !r.language.Handles(rel) {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			decls, err := outliner.Outline(rel, src)
			if err != nil {
				return err
			}
			symbols = append(symbols, symbolsOf(rel, decls)...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", project, err)
	}
	return link.NewTable(symbols, files), nil
}

func readRequests(file string) ([]request, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []request
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if style, ok := strings.CutPrefix(line, "## "); ok {
			out = append(out, request{style: style, place: fmt.Sprintf("%s:%d", file, n)})
			continue
		}
		if line == "" {
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%s:%d: before the first ##", file, n)
		}
		if err := out[len(out)-1].take(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return out, lines.Err()
}

func (r *request) take(line string) error {
	if r.text == "" {
		r.text = line
		return nil
	}
	rest := strings.TrimSpace(line[1:])
	switch line[0] {
	case '@':
		name, span, _ := strings.Cut(rest, ":")
		r.at.File = name
		from, to, ranged := strings.Cut(span, "-")
		r.at.From, _ = strconv.Atoi(from)
		if r.at.To = r.at.From; ranged {
			r.at.To, _ = strconv.Atoi(to)
		}
	case '=':
		switch rest {
		case "ask":
			r.ask = true
		case "decline":
			r.decline = true
		default:
			p, err := parseProgram(rest)
			r.programs = append(r.programs, p)
			return err
		}
	case '?':
		p, err := parseProgram(rest)
		r.likely = append(r.likely, p)
		return err
	default:
		return fmt.Errorf("%q is neither @, = nor ?", line)
	}
	return nil
}

var argAt = regexp.MustCompile(`^([a-z0-9]+)=("(?:[^"\\]|\\.)*"|\S+)\s*`)

// parseProgram reads: op slot=value slot="value with spaces" ; op ...
func parseProgram(text string) (refactor.Program, error) {
	var p refactor.Program
	for text = strings.TrimSpace(text); text != ""; {
		name, rest, _ := strings.Cut(text, " ")
		op := refactor.Op{Name: name, Args: map[string]string{}}
		rest = strings.TrimSpace(rest)
		for {
			m := argAt.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			v := m[2]
			if u, err := strconv.Unquote(v); err == nil && strings.HasPrefix(v, `"`) {
				v = u
			}
			op.Args[m[1]] = v
			rest = rest[len(m[0]):]
		}
		p = append(p, op)
		next, ok := strings.CutPrefix(rest, ";")
		if !ok && rest != "" {
			return nil, fmt.Errorf("cannot read %q", rest)
		}
		text = strings.TrimSpace(next)
	}
	if len(p) == 0 {
		return nil, errors.New("an empty program")
	}
	return p, nil
}

// same reports whether a proposal is the program that the author wrote.
func same(p propose.Proposal, want refactor.Program, at refactor.Target) bool {
	if len(p.Program) != len(want) {
		return false
	}
	for i, w := range want {
		if p.Program[i].Name != w.Name {
			return false
		}
		args := maps.Clone(p.Program[i].Args)
		if f := w.Args["file"]; f != "" && p.Target.File != f {
			return false
		}
		if lines := strings.TrimPrefix(w.Args["lines"], "lines "); lines != "" && lines != fmt.Sprintf("%d-%d",
			p.Target.From, p.Target.To) &&
			lines != strconv.Itoa(p.Target.From) {
			return false
		}
		keys := map[string]bool{}
		for k := range args {
			keys[k] = true
		}
		for k := range w.Args {
			keys[k] = true
		}
		for k := range keys {
			if k == "file" || k == "lines" || k == "kind" || k == "owner" {
				continue
			}
			if !sameArg(k, args[k], w.Args[k]) {
				return false
			}
		}
	}
	return true
}

// sameArg compares what fills a slot: names by their last part and, if both have one, owner.
func sameArg(slot, got, want string) bool {
	if got == "" || want == "" {
		return got == want || slot == "which" || slot == "func" && got != "" // where the function is, though not said
	}
	squeeze := func(s string) string {
		return strings.Join(strings.Fields(strings.Trim(s, "\"'`.() ")), "")
	}
	switch slot {
	case "text":
		return strings.EqualFold(squeeze(got), squeeze(want))
	case "symbol", "func", "type", "name", "call", "from", "interface":
		a, b := strings.Split(got, "."), strings.Split(want, ".")
		for i := 1; i <= min(len(a), len(b)); i++ {
			if squeeze(a[len(a)-i]) != squeeze(b[len(b)-i]) {
				return false
			}
		}
		return true
	case "position":
		return got == want || got == "first" && want == "1" || got == "1" && want == "first"
	}
	return squeeze(got) == squeeze(want)
}

// tally counts the outcomes of a group of requests.
type tally struct{ n, exact, top3, acted, wrong int }

// evaluate prints how often the model's proposals are what the authors meant.
func evaluate(p *propose.Proposer, sets []devSet, verbose bool) tally {
	byStyle, byOp := map[string]*tally{}, map[string]*tally{}
	var all tally
	declines, taken, asks, asked := 0, 0, 0, 0
	for _, d := range sets {
		for _, r := range d.requests {
			u := p.Understand(context.Background(), r.text, d.table, r.at)
			found, declined, act := u.Proposals, u.Declined, u.Sure()
			found = slices.DeleteFunc(found, func(q propose.Proposal) bool { return len(q.Lacks) > 0 }) // never offered
			switch {
			case r.decline:
				declines++
				if act {
					taken++
					if verbose {
						fmt.Printf("TAKEN %s\n   %.2f %v\n", r.text, found[0].Probability, found[0].Program)
					}
				}
				continue
			case r.ask:
				asks++
				if !act {
					asked++
				}
				continue
			}
			right := func(k int) bool {
				return k < len(found) && slices.ContainsFunc(r.programs, func(w refactor.Program) bool {
					return same(found[k], w, r.at) || same(found[k], p.Plain(w, d.table), r.at)
				})
			}
			groups := []*tally{&all, group(byStyle, r.style), group(byOp, r.programs[0][0].Name)}
			for _, t := range groups {
				t.n++
				if right(0) {
					t.exact++
				}
				if right(0) || right(1) || right(2) {
					t.top3++
				}
				if act {
					t.acted++
					if !right(0) {
						t.wrong++
					}
				}
			}
			if verbose && right(0) && !act {
				fmt.Printf("HELD (%s; %.2f, %.2f) %s\n", u.Doubt(), u.Least, declined, r.text)
			}
			if verbose && !right(0) {
				fmt.Printf("%s%s\n  want %v (decline %.2f)\n", map[bool]string{true: "ACTED "}[act], r.text,
					r.programs[0], declined)
				for _, f := range found[:min(3, len(found))] {
					fmt.Printf("   %.3f %v %s lacks %v loose %v\n", f.Probability, f.Program, f.Target.File, f.Lacks, f.Loose)
				}
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "group\trequests\texact %\ttop three %\tacted %\tof these wrong %\t")
	print := func(name string, t *tally) {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t\n", name, t.n, percent(t.exact, t.n), percent(t.top3, t.n),
			percent(t.acted, t.n), percent(t.wrong, t.acted))
	}
	for _, groups := range []map[string]*tally{byStyle, byOp} {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			print(name, groups[name])
		}
	}
	print("all", &all)
	_ = w.Flush() // standard output
	fmt.Printf("declined: %d, of these taken for an edit: %d; to be asked about: %d, asked: %d\n", declines,
		taken, asks, asked)
	return all
}

func group(m map[string]*tally, name string) *tally {
	if m[name] == nil {
		m[name] = &tally{}
	}
	return m[name]
}

func percent(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return 100 * float64(a) / float64(b)
}

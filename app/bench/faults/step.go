//go:build linux

package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// step is an action of the user, with its expected result, computed in advance.
type step struct {
	what    string
	touched []string
	before  files                 // the touched files before it
	after   files                 // and after it
	parts   map[string][]string   // contents of a file after each of its edits
	cut     map[string][][]string // contents in the middle of each of them, if it is streamed
	patch   string                // of a patch or a turn
	id      int64                 // of a restore
	ids     []int64               // of a revert
	whole   bool                  // it is all-or-nothing
}

// pick returns the files of all that a step touches.
func pick(all files, touched []string) files {
	out := files{}
	for _, name := range touched {
		if content, ok := all[name]; ok {
			out[name] = content
		}
	}
	return out
}

var plain = regexp.MustCompile(`^[a-z][a-z0-9/ ,]*[a-z0-9]$`)

// lineOf picks a line that occurs once, other than those in not; "" if there is none.
func lineOf(r *rand.Rand, content string, not ...string) string {
	lines := strings.Split(content, "\n")
	for range 40 {
		line := lines[r.IntN(len(lines))]
		if plain.MatchString(line) && strings.Count("\n"+content, "\n"+line+"\n") == 1 && !slices.Contains(not, line) {
			return line
		}
	}
	return ""
}

// newPatch changes a few files, and may add and delete others. A patch that is applied at
// once makes one edit in each file, a streamed one an edit for each hunk.
func newPatch(r *rand.Rand, now files, n int, streamed bool) step {
	s := step{what: "patch", whole: !streamed, parts: map[string][]string{}, cut: map[string][][]string{},
		after: files{}}
	names := now.paths()
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	take := min(len(names), 2+r.IntN(3))
	for _, name := range names[:take] {
		hunks, parts, cut := newHunks(r, now[name], n)
		if len(parts) == 0 {
			continue
		}
		fmt.Fprintf(&b, "*** Update File: %s\n%s", name, hunks)
		s.touched = append(s.touched, name)
		s.after[name] = parts[len(parts)-1]
		if s.parts[name], s.cut[name] = parts, cut; !streamed {
			s.parts[name], s.cut[name] = parts[len(parts)-1:], nil
		}
	}
	if r.IntN(2) == 0 {
		name := fmt.Sprintf("new/n%d.txt", n)
		content := fmt.Sprintf("made in step %d\nand filled\n", n)
		fmt.Fprintf(&b, "*** Add File: %s\n+made in step %d\n+and filled\n", name, n)
		s.touched, s.after[name], s.parts[name] = append(s.touched, name), content, []string{content}
		if streamed {
			s.cut[name] = [][]string{beginnings("", content, "")}
		}
	}
	if names = names[take:]; !streamed && len(names) > 4 && r.IntN(2) == 0 {
		fmt.Fprintf(&b, "*** Delete File: %s\n", names[0])
		s.touched = append(s.touched, names[0])
	}
	b.WriteString("*** End Patch\n")
	s.patch, s.before = b.String(), pick(now, s.touched)
	return s
}

// newHunks changes one or two lines of a file, and returns its content after each, and what
// it may be in the middle of each.
func newHunks(r *rand.Rand, content string, n int) (hunks string, parts []string, cut [][]string) {
	var lines []string
	for range 1 + r.IntN(2) {
		if line := lineOf(r, content, lines...); line != "" {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Compare(strings.Index("\n"+content, "\n"+a+"\n"), strings.Index("\n"+content, "\n"+b+"\n"))
	})
	var b strings.Builder
	for i, old := range lines {
		line := fmt.Sprintf("%s, step %d", old, n)
		if len(line) > 120 {
			line = fmt.Sprintf("short again at step %d, part %d", n, i)
		}
		fmt.Fprintf(&b, "@@\n-%s\n+%s\n", old, line)
		at := strings.Index("\n"+content, "\n"+old+"\n")
		before, after := content[:at], content[at+len(old)+1:]
		content = before + line + "\n" + after
		parts, cut = append(parts, content), append(cut, beginnings(before, line+"\n", after))
	}
	return b.String(), parts, cut
}

// beginnings returns the contents of a file while a text is written in it letter by letter.
func beginnings(before, text, after string) (out []string) {
	for i := range text {
		out = append(out, before+text[:i]+after)
	}
	return out
}

// script writes a patch as a model's answer, in small pieces. In a third of all answers one
// of them is so late that the hunk before it is journaled unfinished. Steps that touch
// different files have different scripts.
func (s step) script(r *rand.Rand, dir string) (string, error) {
	name := strings.ReplaceAll(strings.Join(s.touched[:min(1, len(s.touched))], ""), "/", "-")
	f, err := os.Create(filepath.Join(dir, "answer-"+name+".jsonl"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	late := r.IntN(3*len(s.patch)) / 16 * 16
	for at := 0; at < len(s.patch); at += 16 {
		after := r.Float64() * 2
		if at == late {
			after += 150
		}
		if err := enc.Encode(map[string]any{"after_ms": after,
			"text": s.patch[at:min(at+16, len(s.patch))]}); err != nil {
			return "", err
		}
	}
	return f.Name(), f.Close()
}

// moment is the content of the whole project right after an edit.
type moment struct {
	id  int64
	all files
}

// restoring returns the step that restores a moment.
func restoring(m moment, now files) step {
	s := step{what: fmt.Sprintf("restore --at %d", m.id), whole: true, id: m.id, after: files{}}
	for _, name := range append(now.paths(), m.all.paths()...) {
		a, was := now[name]
		b, is := m.all[name]
		if (was != is || a != b) && !slices.Contains(s.touched, name) {
			s.touched = append(s.touched, name)
		}
	}
	s.before, s.after = pick(now, s.touched), pick(m.all, s.touched)
	return s
}

// done is an acknowledged step with its edits.
type done struct {
	step
	edits []int64
}

// revertible reports whether the files are still as the step left them.
func (d done) revertible(now files) bool {
	if len(d.edits) == 0 {
		return false
	}
	for _, name := range d.touched {
		a, is := now[name]
		b, should := d.after[name]
		if is != should || a != b {
			return false
		}
	}
	return true
}

func (d done) reverting() step {
	return step{what: fmt.Sprintf("revert of %s (%v)", d.what, d.edits), whole: true, ids: d.edits, touched: d.touched,
		before: d.after, after: d.before}
}

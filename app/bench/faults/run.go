//go:build linux

package faults

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// run is one run of a row.
type run struct {
	row   row
	seed  uint64
	rand  *rand.Rand
	w     *world
	trace func(string, ...any)

	now     files               // the content that the project must have
	maybe   map[string][]string // contents that a file may have as well, after a kill or a half-failed turn
	cut     map[string][]string // contents that end in a hunk which the history must call cut off
	groups  []step              // all-or-nothing steps that were cut off by a kill
	due     []cutOff            // their acknowledged edits
	kept    []keptEdit
	moments []moment
	steps   []done
	failed  *step // the step that failed, to be repeated
	n       int
	names   []string // the paths of now, for others
	words   []word   // typed and acknowledged

	mu        sync.Mutex // guards outside
	outside   []outsideWrite
	deleted   []outsideWrite  // files with their contents at deletion
	live      map[string]bool // files that were changed by keys or by a stream
	rescued   []string        // contents of the files that the program named when it stopped
	contested pathSet         // files to which another program wrote

	acked int
	bytes int64
	lost  []string
	wrong []string
}

// pathSet is a set of paths. Another program's writes add to it while the user's step reads
// it.
type pathSet struct {
	mu    sync.Mutex
	paths map[string]bool
}

// add adds a path, and reports whether it is new.
func (s *pathSet) add(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paths == nil {
		s.paths = map[string]bool{}
	}
	fresh := !s.paths[path]
	s.paths[path] = true
	return fresh
}

func (s *pathSet) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paths[path]
}

// all returns the paths, sorted.
func (s *pathSet) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.paths))
}

// cutOff is a step that did not end well, with the number of acknowledged edits of each
// file.
type cutOff struct {
	step
	acked map[string]int
}

// gone is the content of a file that does not exist.
const gone = "\x00gone"

// keptEdit is an acknowledged edit.
type keptEdit struct {
	ackedEdit
	content string // of the file right after it; "" if unknown
}

// word is a text that the user typed; each one is unique.
type word struct{ path, text string }

// outsideWrite is a write of another program, with the one line that it added.
type outsideWrite struct{ path, content, line string }

func (r *run) losing(format string, args ...any) {
	r.trace("LOST "+format, args...)
	r.lost = append(r.lost, fmt.Sprintf(format, args...))
}

func (r *run) wronging(format string, args ...any) {
	r.trace("WRONG "+format, args...)
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// during runs do, and starts meanwhile at a random moment within a time.
func (r *run) during(do func(), meanwhile func() error, within time.Duration) error {
	if meanwhile == nil {
		do()
		return nil
	}
	wait := time.Duration(r.rand.Int64N(int64(within)))
	r.names = r.now.paths()
	var err error
	var both sync.WaitGroup
	both.Go(func() {
		time.Sleep(wait)
		err = meanwhile()
	})
	do()
	both.Wait()
	return err
}

// acknowledged applies a step that the program reported as done.
func (r *run) acknowledged(s step, edits []int64) {
	for _, name := range s.touched {
		delete(r.now, name)
		delete(r.maybe, name)
		delete(r.cut, name)
		if content, ok := s.after[name]; ok {
			r.now[name] = content
			r.bytes += int64(len(content))
		}
	}
	r.acked += max(1, len(edits))
	r.steps = append(r.steps, done{s, edits})
}

// keep adds a step's acknowledged edits. They come in the order in which the files were
// changed, so the content after each one is known.
func (r *run) keep(s step, acked []ackedEdit) {
	seen := map[string]int{}
	for _, a := range acked {
		k := keptEdit{ackedEdit: a}
		if i := seen[a.Path]; i < len(s.parts[a.Path]) {
			k.content = s.parts[a.Path][i]
		}
		seen[a.Path]++
		r.kept = append(r.kept, k)
	}
}

// perhaps allows the contents before, in and after a step that may be done or not.
func (r *run) perhaps(s step) {
	for _, name := range s.touched {
		for _, all := range []files{s.before, s.after} {
			content, ok := all[name]
			if !ok {
				content = gone
			}
			r.maybe[name] = append(r.maybe[name], content)
		}
		r.maybe[name] = append(r.maybe[name], s.parts[name]...)
		r.cut[name] = append(r.cut[name], slices.Concat(s.cut[name]...)...)
	}
	if s.whole {
		r.groups = append(r.groups, s)
	}
}

// compare checks that the disk holds the expected contents, or allowed ones.
func (r *run) compare(when string) {
	disk, _, err := r.w.disk()
	if err != nil {
		r.wronging("%s: the project cannot be read: %v", when, err)
		return
	}
	for _, name := range union(disk, r.now) {
		have, is := disk[name]
		want, should := r.now[name]
		if !is {
			have = gone
		}
		if !should {
			want = gone
		}
		if have != want && !r.contested.has(name) && !slices.Contains(r.maybe[name], have) &&
			!slices.Contains(r.rescued, want) && !(slices.Contains(r.cut[name], have) && r.cutOff(name)) {
			r.losing("%s: %s: %s", when, name, difference(have, want))
			r.adopt(disk, name) // report a loss once
		}
	}
}

// cutOff reports whether the history calls the last edit of a file cut off. A hunk that takes
// long is journaled while it is written; when the program dies, the next start records what
// there is of it, which nobody acknowledged.
func (r *run) cutOff(name string) bool {
	edits, err := r.list(name)
	if err != nil {
		r.wronging("history list %s: %v", name, err)
		return false
	}
	return len(edits) > 0 && edits[len(edits)-1].Partial
}

// compareGroups checks the all-or-nothing steps that a kill cut off, after a start without
// faults could finish them or roll them back.
func (r *run) compareGroups(when string) {
	disk, _, err := r.w.disk()
	if err != nil {
		return
	}
	for _, s := range r.groups {
		r.compareGroup(when, s, disk)
	}
}

// compareGroup checks that a step that was cut off is done entirely or not at all.
func (r *run) compareGroup(when string, s step, disk files) {
	var is, was []string
	for _, name := range s.touched {
		have, there := disk[name]
		a, after := s.after[name]
		b, before := s.before[name]
		switch {
		case r.contested.has(name):
		case there == after && have == a && !(before && after && a == b):
			is = append(is, name)
		case there == before && have == b:
			was = append(was, name)
		}
	}
	if len(is) > 0 && len(was) > 0 {
		r.wronging("%s: half of %s: %v are as after it, %v as before", when, s.what, is, was)
	}
}

// settle adopts the contents on disk wherever several were allowed.
func (r *run) settle() {
	disk, _, err := r.w.disk()
	if err != nil {
		return
	}
	for _, c := range r.due {
		r.settleDue(c, disk)
	}
	for name := range r.maybe {
		r.adopt(disk, name)
	}
	for _, name := range r.contested.all() {
		r.adopt(disk, name)
	}
	r.maybe, r.cut, r.groups, r.due = map[string][]string{}, map[string][]string{}, nil, nil
}

// settleDue checks, after all faults, that the acknowledged edits of a cut off step are on
// disk.
func (r *run) settleDue(c cutOff, disk files) {
	for name, n := range c.acked {
		have, is := disk[name]
		if n = min(n, len(c.parts[name])); n > 0 && !r.contested.has(name) &&
			!(is && slices.Contains(c.parts[name][n-1:], have)) && !(is && c.cutAfter(name, n, have) && r.cutOff(name)) {
			r.losing("%s: %s: %d of its edits were acknowledged, and it is not as after them", c.what, name, n)
		}
	}
}

// cutAfter reports whether a file ends in the middle of one of the step's edits after the
// first n.
func (s step) cutAfter(name string, n int, have string) bool {
	cut := s.cut[name]
	return slices.Contains(slices.Concat(cut[min(n, len(cut)):]...), have)
}

func (r *run) adopt(disk files, name string) {
	if content, ok := disk[name]; ok {
		r.now[name] = content
	} else {
		delete(r.now, name)
	}
}

func union(a, b files) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all.paths()
}

// difference describes the first difference of two contents.
func difference(have, want string) string {
	switch {
	case have == gone:
		return fmt.Sprintf("it is gone; it should hold %d bytes", len(want))
	case want == gone:
		return fmt.Sprintf("it is there with %d bytes: %q", len(have), short(have))
	}
	i := 0
	for i < min(len(have), len(want)) && have[i] == want[i] {
		i++
	}
	cut := func(s string) string { return s[min(len(s), max(0, i-20)):min(len(s), i+40)] }
	return fmt.Sprintf("it holds %d bytes and should hold %d; at %d it has %q for %q", len(have), len(want), i,
		cut(have), cut(want))
}

// write writes a file as another program does: it replaces the file, or writes in place.
func (r *run) write(name, content string) error {
	path := filepath.Join(r.w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if len(content)%2 == 0 {
		return os.WriteFile(path, []byte(content), 0o644)
	}
	if err := os.WriteFile(path+"~", []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(path+"~", path)
}

// others writes new files, and adds a line to some of the project's, once to each. It runs
// during the user's step, and shares only contested, and the fields that mu guards, with
// it.
func (r *run) others(times int) error {
	dirs := []string{"", "dir/", "dir/sub/", "other/"}
	shared := r.names
	for i := range times {
		name := fmt.Sprintf("%soutside%d-%d.txt", dirs[i%len(dirs)], r.n, i)
		line := fmt.Sprintf("written meanwhile %d %d\n", r.n, i)
		content := line
		if i%3 == 2 && len(shared) > 0 {
			name = shared[(r.n*7+i)%len(shared)]
			again := !r.contested.add(name)
			old, err := os.ReadFile(filepath.Join(r.w.root, name))
			if again || err != nil {
				continue
			}
			content = string(old) + line
		}
		r.contested.add(name)
		if err := r.write(name, content); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				continue // its folder was deleted meanwhile
			}
			return err
		}
		r.mu.Lock()
		r.outside = append(r.outside, outsideWrite{name, content, line})
		r.mu.Unlock()
		time.Sleep(time.Duration(i%5) * time.Millisecond)
	}
	return nil
}

func (r *run) failure() string { return strings.Join(append(slices.Clone(r.lost), r.wrong...), "\n") }

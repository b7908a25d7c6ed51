package app_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace/text"
)

// TestTurnsAUserAndAnotherProgramConverge has three turns, a user who types and another
// program that saves change three files in random order. A hunk must be held exactly when
// another turn has its file; each edit must have only lines of its own turn; and in the end
// pages, disk and history must be equal and contain everything that was written.
func TestTurnsAUserAndAnotherProgramConverge(t *testing.T) {
	for seed := range uint64(6) {
		crowded(t, seed)
	}
}

// crowd is the state of one run: who writes what, and what the result must contain.
type crowd struct {
	*world
	seed  uint64
	rand  *rand.Rand
	p     *app.Project
	files []string
	turns map[string]*told // the running ones, by name
	open  map[string]bool  // with an unfinished hunk
	has   map[string]string
	pages map[string]*page
	wrote []string // words that a file must have had
	saved map[string]int
	n     int
}

const crowdLines = 8

func crowded(t *testing.T, seed uint64) {
	body := ""
	for i := range crowdLines {
		body += fmt.Sprintf("line %d\nuser %d: \n", i, i)
	}
	files := map[string]string{}
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		files[name] = body + "outside\n"
	}
	w := newWorld(t, files)
	c := &crowd{world: w, seed: seed, rand: rand.New(rand.NewPCG(seed, 9)), files: []string{"a.txt", "b.txt", "c.txt"},
		turns: map[string]*told{}, open: map[string]bool{}, has: map[string]string{}, pages: map[string]*page{},
		saved: map[string]int{}}
	p, turns := w.turns("A", "B", "C")
	c.p = p
	for _, x := range turns {
		c.turns[x.name] = x
	}
	if seed%2 == 1 {
		c.must(seed, p.Watch(t.Context()))
	}
	for _, name := range c.files {
		page, err := openPage(t.Context(), p, "page", name)
		c.must(seed, err)
		c.pages[name] = page
	}
	for range 120 {
		c.step()
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range c.turns {
			if !yield(name) {
				return
			}
		}
	}) {
		c.end(name)
	}
	c.check()
}

func (c *crowd) step() {
	name := []string{"A", "B", "C"}[c.rand.IntN(3)]
	path := c.files[c.rand.IntN(3)]
	page := c.pages[path]
	switch n := c.rand.IntN(20); {
	case n < 9:
		if c.turns[name] != nil {
			c.write(name, path)
		}
	case n < 14:
		c.n++
		word := fmt.Sprintf("<U%d>", c.n)
		at := text.Byte(strings.Index(page.now.String(), fmt.Sprintf("user %d: ", c.rand.IntN(crowdLines))) + len("user 0: "))
		c.must(c.seed, page.replace(at, at, word))
		c.wrote = append(c.wrote, word)
	case n < 16:
		c.must(c.seed, page.push(c.Context()))
	case n < 17:
		c.must(c.seed, page.pull(c.Context()))
	case n < 18 && c.seed%2 == 1:
		c.save(path)
	case n < 19:
		c.must(c.seed, c.p.SaveFile(c.Context(), path))
	case c.turns[name] != nil && len(c.turns) > 1 && c.n > 40:
		c.end(name)
	}
}

// write opens a hunk of a turn, or closes the open one.
func (c *crowd) write(name, path string) {
	x := c.turns[name]
	if c.open[name] {
		c.open[name] = false
		x.tell("*** End Patch\n", func(ev engine.Event) bool {
			_, failed := ev.(engine.HunkFailed)
			return failed || closed(ev)
		})
		return
	}
	c.n++
	line := fmt.Sprintf("<%s%d>", name, c.n)
	refused := false
	x.tell(fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n line %d\n+%s\n", path, c.rand.IntN(crowdLines), line),
		func(ev engine.Event) bool {
			f, failed := ev.(engine.HunkFailed)
			if refused = failed; failed && f.Reason != "busy" {
				c.Errorf("seed %d: %+v", c.seed, f)
			}
			return failed || changed(line+"\n")(ev)
		})
	if other := c.has[path]; refused != (other != "" && other != name) {
		c.Fatalf("seed %d: %s is refused %s: %v, which %q has", c.seed, name, path, refused, other)
	}
	if refused {
		x.tell("*** End Patch\nheld\n", func(ev engine.Event) bool { _, said := ev.(engine.Prose); return said })
		return
	}
	c.has[path], c.open[name] = name, true
	c.wrote = append(c.wrote, line)
}

// save adds a word to the file on disk, like another program.
func (c *crowd) save(path string) {
	c.n++
	word := fmt.Sprintf("<O%d>", c.n)
	body := c.disk(path)
	fresh := filepath.Join(filepath.Dir(c.dir), "fresh")
	c.ok(os.WriteFile(fresh, []byte(strings.Replace(body, "outside", "outside"+word, 1)), 0o644))
	c.ok(os.Rename(fresh, filepath.Join(c.dir, path)))
	c.wrote = append(c.wrote, word)
}

func (c *crowd) end(name string) {
	x := c.turns[name]
	delete(c.turns, name)
	if c.rand.IntN(2) == 0 {
		x.turn.Stop()
		x.rest()
	} else {
		if c.open[name] {
			x.say <- "*** End Patch\n"
		}
		x.finish(nil)
	}
	c.open[name] = false
	for path, by := range c.has {
		if by == name {
			delete(c.has, path)
		}
	}
}

var crowdWord = regexp.MustCompile(`<[A-Z][0-9]+>`)

func (c *crowd) check() {
	c.Helper()
	everything := ""
	for _, path := range c.files {
		page := c.pages[path]
		for range 5 {
			for _, do := range []func() error{func() error { return page.pull(c.Context()) },
				func() error { return page.push(c.Context()) }} {
				c.must(c.seed, do())
			}
		}
		c.must(c.seed, c.p.SaveFile(c.Context(), path))
		c.must(c.seed, page.pull(c.Context()))
		want := c.disk(path)
		if got := page.now.String(); got != want {
			c.Fatalf("seed %d: the page has\n%s\nthe disk\n%s", c.seed, got, want)
		}
		c.at(c.p, history.Newest, path, want)
		everything += c.everHeld(path)
	}
	for _, word := range c.wrote {
		if !strings.Contains(everything, word) {
			c.Errorf("seed %d: %s is lost", c.seed, word)
		}
	}
}

// everHeld returns the text of all versions of a file. It checks that each edit adds words
// of its own author only.
func (c *crowd) everHeld(path string) string {
	c.Helper()
	edits, err := c.p.History().List(c.Context(), history.Filter{Path: path})
	c.must(c.seed, err)
	slices.SortFunc(edits, func(a, b history.Edit) int { return int(a.ID - b.ID) })
	var all strings.Builder
	seen := map[string]bool{}
	for _, e := range edits {
		v, err := c.p.History().At(c.Context(), e.ID, path)
		c.must(c.seed, err)
		for _, word := range crowdWord.FindAllString(string(v.Bytes), -1) {
			if !seen[word] && word[1:2] != c.author(e) {
				c.Errorf("seed %d: edit %d by %s, turn %d, adds %s", c.seed, e.ID, e.Author, e.Turn, word)
			}
			seen[word] = true
		}
		all.Write(v.Bytes)
	}
	return all.String()
}

// author returns the letter of an edit's author: A, B and C for turns 1, 2 and 3.
func (c *crowd) author(e history.Edit) string {
	switch e.Author {
	case history.User:
		return "U"
	case history.Model:
		return string(rune('A' + e.Turn - 1))
	}
	return "O"
}

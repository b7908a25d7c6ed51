package ignore

import (
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Rule is the line of an ignore file that decided about a path. Source is relative to the
// root, or absolute for a file outside it. Pattern is the line as git prints it. The rule
// for ".git" has neither source nor line.
type Rule struct {
	Source  string
	Line    int
	Pattern string
}

// The names of the ignore files, weakest first.
const (
	gitIgnore = ".gitignore"
	ownIgnore = ".waferpairignore"
)

// Matcher decides about the paths of one folder. Make one with New.
type Matcher struct {
	root string

	mu         sync.RWMutex
	dirs       map[string]*dir // by path from root, "" for root itself
	base       *base           // nil until first needed
	generation int             // counts calls of Invalidate
}

// base is the state that does not depend on the directory.
type base struct {
	top    string // the directory whose rules count first: root or the work tree's top
	prefix string // the path from top to root, "" or "a/b/"
	fold   bool
	global []*list // info/exclude, core.excludesFile
}

// dir is the state of one directory: the lists that decide about its entries, strongest
// first, or the rule that ignores all of them.
type dir struct {
	own, git []*list // of this directory and those above, deepest first
	ignored  *Rule
}

// New returns a Matcher for the folder root. It reads nothing yet.
func New(root string) *Matcher {
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	return &Matcher{root: root, dirs: map[string]*dir{}}
}

// Ignored reports whether path, slash-separated and relative to the root, is ignored. isDir
// describes the path itself: a link to a directory is not one.
func (m *Matcher) Ignored(path string, isDir bool) bool {
	_, ignored := m.Match(path, isDir)
	return ignored
}

// Match is Ignored with the rule that decided. The rule is also set if a negative pattern
// kept the path from being ignored.
func (m *Matcher) Match(name string, isDir bool) (Rule, bool) {
	if n := len(name); n > 0 && name[n-1] == '/' {
		isDir = true
	}
	name, inside := clean(name)
	if !inside || name == "" {
		return Rule{}, false
	}
	if hasDotGit(name) {
		return Rule{Pattern: ".git"}, true
	}
	up, last := split(name)
	b, d := m.dir(up)
	if d.ignored != nil {
		return *d.ignored, true
	}
	return m.decide(b, d, name, last, isDir)
}

func (m *Matcher) decide(b *base, d *dir, name, last string, isDir bool) (Rule, bool) {
	full := name
	if b.prefix != "" {
		full = b.prefix + name
	}
	for _, lists := range [...][]*list{d.own, d.git, b.global} {
		for _, l := range lists {
			if p := l.find(full, last, isDir); p != nil {
				return Rule{Source: l.source, Line: p.line, Pattern: p.shown}, !p.negative
			}
		}
	}
	return Rule{}, false
}

// dir returns the state of a directory, and computes it and those above if necessary.
func (m *Matcher) dir(name string) (*base, *dir) {
	m.mu.RLock()
	b, d, generation := m.base, m.dirs[name], m.generation
	m.mu.RUnlock()
	if d != nil {
		return b, d
	}
	if name == "" {
		b, d = m.buildRoot()
	} else {
		b, d = m.buildBelow(name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.generation == generation { // otherwise it may be stale, and serves this call only
		m.base, m.dirs[name] = b, d
	}
	return b, d
}

func (m *Matcher) buildBelow(name string) (*base, *dir) {
	up, last := split(name)
	b, parent := m.dir(up)
	if parent.ignored != nil {
		return b, parent
	}
	if rule, ignored := m.decide(b, parent, name, last, true); ignored {
		return b, &dir{ignored: &rule}
	}
	return b, m.open(b, parent, b.prefix+name+"/")
}

// buildRoot computes the root's state from the top of the work tree down.
func (m *Matcher) buildRoot() (*base, *dir) {
	r := findRepo(m.root)
	b := newBase(m.root, r)
	d := m.open(b, &dir{}, "")
	rest := b.prefix
	for done := ""; rest != ""; {
		last, below, _ := strings.Cut(rest, "/")
		if _, ignored := m.decide(&base{global: b.global}, d, done+last, last, true); ignored {
			b.top, b.prefix = m.root, ""
			return b, m.open(b, &dir{}, "")
		}
		done += last + "/"
		rest = below
		d = m.open(b, d, done)
	}
	return b, d
}

func newBase(root string, r repo) *base {
	s := readSettings(r)
	b := &base{top: root, fold: s.ignoreCase}
	if r.top != "" {
		b.top = r.top
		if rel, err := filepath.Rel(r.top, root); err == nil && rel != "." {
			b.prefix = filepath.ToSlash(rel) + "/"
		}
		b.addGlobal(root, filepath.Join(r.common, "info", "exclude"))
	}
	if s.excludesFile != "" {
		b.addGlobal(root, s.excludesFile)
	}
	return b
}

func (b *base) addGlobal(root, file string) {
	if l := readList(file, sourceName(root, file), 0, b.fold, true); l != nil {
		b.global = append(b.global, l)
	}
}

// open adds the ignore files in a directory, at path below from the top, to its parent's
// lists. Most directories have none and share the parent's slices.
func (m *Matcher) open(b *base, parent *dir, below string) *dir {
	d := &dir{own: parent.own, git: parent.git}
	at := filepath.Join(b.top, filepath.FromSlash(below))
	read := func(name string, lists []*list) []*list {
		file := filepath.Join(at, name)
		if l := readList(file, sourceName(m.root, file), len(below), b.fold, false); l != nil {
			return append([]*list{l}, lists...)
		}
		return lists
	}
	d.own = read(ownIgnore, d.own)
	d.git = read(gitIgnore, d.git)
	return d
}

// Invalidate must be called when the file or directory at path (relative to the root) has
// changed. It is cheap for anything but an ignore file; "" drops everything, including the
// rules and the configuration outside the root.
func (m *Matcher) Invalidate(name string) {
	name, inside := clean(name)
	up, last := split(name)
	if last == gitIgnore || last == ownIgnore {
		name = up
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
	if name == "" || !inside || hasDotGit(name) {
		m.base, m.dirs = nil, map[string]*dir{}
		return
	}
	if m.dirs[name] == nil {
		return // then nothing below it is cached either
	}
	for known := range m.dirs {
		if known == name || hasPrefix(known, name) && known[len(name)] == '/' {
			delete(m.dirs, known)
		}
	}
}

func sourceName(root, file string) string {
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// clean returns the canonical form of a relative path, "" for the root.
func clean(name string) (string, bool) {
	name = path.Clean(name)
	switch {
	case name == ".":
		return "", true
	case name == "..", hasPrefix(name, "../"), name[0] == '/':
		return name, false
	}
	return name, true
}

func split(name string) (up, last string) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

// hasDotGit reports whether a component of name is ".git".
func hasDotGit(name string) bool {
	for from := 0; ; {
		i := strings.Index(name[from:], ".git")
		if i < 0 {
			return false
		}
		i += from
		from = i + len(".git")
		if (i == 0 || name[i-1] == '/') && (from == len(name) || name[from] == '/') {
			return true
		}
	}
}

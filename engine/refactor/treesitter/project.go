package treesitter

import (
	"bytes"
	"context"
	"path"
	"runtime"
	"sort"
	"sync"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// unit is one parsed file with its names resolved within the file. Units are
// immutable once bound and are shared between operations (see cache).
type unit struct {
	d        dialect
	path     string
	src      []byte
	root     *node
	errors   int
	module   *scope
	bindings []*binding
	refs     []*ref
	byNode   map[*node]*ref
	scopes   map[*node]*scope // the scope that a function's parameters are in
	classes  []*class
	imports  []*origin // every import, in order
	exports  []export  // JavaScript and TypeScript
	esm      bool      // JavaScript: has import or export
	cjs      bool      // JavaScript: uses require or module.exports
	pkg      string    // Java: its package
	apart    bool      // Java: fields and methods do not share names
	strange  []*node   // what the binder saw and cannot reason about: eval, with, ...
}

// export is one name that a JavaScript module gives to others.
type export struct {
	name  string   // exported name; "*" for export * from
	b     *binding // what it exports, when that is bound in this module
	from  string   // the other module, for re-exports
	inner string   // the name in the other module; "" for the module itself
	node  *node    // the identifier of the exported name
	ref   *ref     // the identifier whose binding it exports
}

// dialect is what differs between the languages.
type dialect interface {
	handles(path string) bool
	// style is how the language is written.
	style() kit.Dialect
	// typed reports whether declarations of the file can have types.
	typed(u *unit) bool
	grammar(path string) grammar
	bind(u *unit)
	// locate finds the file of an imported module.
	locate(p *project, from string, module string) place
	// lost reports whether an import that locate could not place may lead to a
	// file of the project all the same.
	lost(module string) bool
	// loads reports whether u loads a module by a call whose result is not
	// followed: import_module, import().then, a mock of it.
	loads(p *project, u, target *unit) bool
	// structural: objects of one class can be used as those of another with the same members.
	structural() bool
	// global reports whether a file's top-level names are known to other files
	// without an import.
	global(u *unit) bool
	// means resolves an identifier to the symbol that it stands for.
	means(p *project, u *unit, n *node) meaning
	// keyMeans is what the property of a shorthand {name} means, where means is
	// about the variable; for every other identifier the kind is other.
	keyMeans(p *project, u *unit, n *node) meaning
	// exported finds what a module gives under a name.
	exported(p *project, at place, name string, seen map[string]bool) meaning
	// entity finds out what an expression stands for.
	entity(p *project, u *unit, n *node) entity
	// mentions lists the leaves of a file that are the name, as code.
	mentions(u *unit, name string) []*node
	// respell is what an identifier becomes: the new name, or `old: new` where a
	// shorthand {old} stands for a variable and a property, of which one is renamed.
	respell(n *node, to string, asRef, asKey bool) string
	// named lists the strings that this language reads as names, like those of
	// Python's __all__, which are renamed with what they name.
	named(u *unit, name string) []*node
	// keyed lists the strings that stand for a member of that name: getattr(x,
	// "name"), __slots__, Pick<T, "name">, x["name"].
	keyed(u *unit, name string) []*node
	// special says why a rename of the subject could never be certain, or "".
	special(p *project, s *subject, to string) string
	// invalid says why a name cannot be used, or "".
	invalid(name string) string
	// declared is the name and the kind of what n declares; kind "" is for other nodes.
	declared(n *node) (name, kind string)
	// path lists the names around a declaration; ok is false when one has none.
	path(n *node) (names []string, ok bool)
	// outsideBase reports whether a base class from outside the project is known
	// not to care about a member of that name.
	outsideBase(base *node, name string) bool
}

// typed is a dialect whose variables all have types, so that members can be followed.
type typed interface {
	// membersUsed declines when code outside [from, to) uses a member that is declared inside.
	membersUsed(j *job, u *unit, from, to int) error
	// knows reports whether a name that the file does not bind means something there.
	knows(p *project, u *unit, r *ref) bool
}

// place is where an import leads.
type place struct {
	file    string // a file of the project, or ""
	dir     string // Python: the folder of a package, whose submodules are its names
	outside bool   // surely not a file of the project
}

// project is the source tree during one operation.
type project struct {
	src   refactor.Source
	d     dialect
	cache *cache
	files []string
	index map[string]bool
	mu    sync.Mutex
	units map[string]*unit
	words map[string][]string // the files that contain a word, once searched
	extra map[string]any      // what a dialect keeps: tsconfig files, ...
}

func open(ctx context.Context, src refactor.Source, d dialect, c *cache) (*project, error) {
	files, err := src.Files(ctx)
	if err != nil {
		return nil, err
	}
	p := &project{src: src, d: d, cache: c, files: files, index: make(map[string]bool, len(files)),
		units: map[string]*unit{}, words: map[string][]string{}, extra: map[string]any{}}
	for _, f := range files {
		p.index[f] = true
	}
	return p, nil
}

// holding lists the files for which keep holds and that contain every needle as a word, sorted.
func (p *project) holding(ctx context.Context, keep func(string) bool, needles ...string) ([]string, error) {
	return p.search(ctx, keep, func(b []byte) bool { return containsAll(b, needles) })
}

// search lists the files for which keep holds and whose bytes match, sorted.
func (p *project) search(ctx context.Context, keep func(string) bool, match func([]byte) bool) ([]string, error) {
	work := make(chan string)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var found []string
	for range max(2, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for f := range work {
				if b, err := p.src.Read(f); err == nil && match(b) {
					mu.Lock()
					found = append(found, f)
					mu.Unlock()
				}
			}
		}()
	}
	for _, f := range p.files {
		if ctx.Err() != nil {
			break
		}
		if keep(f) {
			work <- f
		}
	}
	close(work)
	wg.Wait()
	sort.Strings(found)
	return found, ctx.Err()
}

func containsAll(b []byte, needles []string) bool {
	for _, n := range needles {
		if !containsWord(b, n) {
			return false
		}
	}
	return true
}

// containsWord looks for text that is not a part of a longer word.
func containsWord(b []byte, text string) bool {
	if text == "" {
		return true
	}
	head, tail := wordByte(text[0]), wordByte(text[len(text)-1])
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(text))
		if i < 0 {
			return false
		}
		from := at + i
		to := from + len(text)
		if !(head && from > 0 && wordByte(b[from-1])) && !(tail && to < len(b) && wordByte(b[to])) {
			return true
		}
		at = from + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// unit parses and binds a file, or returns nil when it cannot be read.
func (p *project) unit(file string) *unit {
	p.mu.Lock()
	u, ok := p.units[file]
	p.mu.Unlock()
	if ok {
		return u
	}
	b, err := p.src.Read(file)
	if err == nil && p.d.handles(file) {
		u = p.cache.get(p.d, file, b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.units[file] = u
	return u
}

// mentioning parses every file of the language that contains name, concurrently.
func (p *project) mentioning(ctx context.Context, name string) ([]*unit, error) {
	p.mu.Lock()
	files, ok := p.words[name]
	p.mu.Unlock()
	if !ok {
		var err error
		if files, err = p.holding(ctx, p.d.handles, name); err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.words[name] = files
		p.mu.Unlock()
	}
	return p.load(files), nil
}

func (p *project) load(files []string) []*unit {
	work := make(chan string)
	var wg sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for f := range work {
				p.unit(f)
			}
		}()
	}
	for _, f := range files {
		work <- f
	}
	close(work)
	wg.Wait()
	var out []*unit
	for _, f := range files {
		if u := p.units[f]; u != nil {
			out = append(out, u)
		}
	}
	return out
}

// cache keeps bound files between operations, for as long as their bytes stay the same.
type cache struct {
	mu    sync.Mutex
	units map[string]*unit
	bytes int
}

// cacheLimit bounds the source bytes that are kept; a bound file takes about fifty times its size.
const cacheLimit = 2 << 20

func (c *cache) get(d dialect, file string, src []byte) *unit {
	c.mu.Lock()
	u := c.units[file]
	c.mu.Unlock()
	if u != nil && bytes.Equal(u.src, src) {
		return u
	}
	root, err := parse(d.grammar(file), src)
	if err != nil {
		return nil
	}
	u = &unit{d: d, path: file, src: src, root: root, errors: root.errors(), byNode: map[*node]*ref{},
		scopes: map[*node]*scope{}}
	d.bind(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.units == nil || c.bytes+len(src) > cacheLimit {
		c.units, c.bytes = map[string]*unit{}, 0
	}
	c.units[file] = u
	c.bytes += len(src)
	return u
}

// python reports whether the file is Python, for operations that write it in a way of their own.
func (u *unit) python() bool { return u.d == dialect(pythonDialect{}) }

// constant declares a name that keeps its value.
func (u *unit) constant(name, value string) string {
	if u.d.style().Let == "" {
		return name + " = " + value
	}
	return u.d.style().Let + " " + name + " = " + value + u.style().semi
}

func ext(file string) string { return path.Ext(file) }

package treesitter

import (
	"encoding/json"
	"path"
	"sort"
	"strings"
)

var jsExtensions = []string{".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"}

// locate finds a module as TypeScript and the bundlers do: relative paths with
// or without extension, index files, tsconfig's paths and baseUrl, the
// project's own packages. Everything else comes from outside.
func (d ecma) locate(p *project, from, module string) place {
	if i := strings.IndexAny(module, "?"); i >= 0 {
		module = module[:i] // vite's ./x?raw
	}
	switch {
	case module == "." || module == ".." || strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../"):
		return p.jsModule(path.Join(path.Dir(from), module))
	case strings.HasPrefix(module, "/"):
		return p.jsModule(strings.TrimPrefix(module, "/"))
	}
	for _, base := range p.aliases(from, module) {
		if at := p.jsModule(base); at.file != "" {
			return at
		}
	}
	if dir, rest, entry, ok := p.ownPackage(module); ok {
		return p.workspace(dir, rest, entry)
	}
	if strings.HasPrefix(module, "#") || strings.HasPrefix(module, "@/") || strings.HasPrefix(module, "~") {
		return place{} // in this project, somewhere
	}
	return place{outside: true}
}

func (p *project) jsModule(base string) place {
	if p.index[base] {
		return place{file: base}
	}
	for _, e := range jsExtensions {
		if p.index[base+e] {
			return place{file: base + e}
		}
	}
	// `./x.js` is how TypeScript names x.ts in ES modules.
	if e := path.Ext(base); e == ".js" || e == ".jsx" || e == ".mjs" || e == ".cjs" {
		stem := strings.TrimSuffix(base, e)
		for _, t := range []string{".ts", ".tsx", ".mts", ".cts", ".d.ts"} {
			if p.index[stem+t] {
				return place{file: stem + t}
			}
		}
	}
	for _, e := range jsExtensions {
		if f := path.Join(base, "index"+e); p.index[f] {
			return place{file: f}
		}
	}
	return place{}
}

// tsconfig is what matters here of a tsconfig.json or jsconfig.json.
type tsconfig struct {
	Extends         any `json:"extends"`
	CompilerOptions struct {
		BaseURL string              `json:"baseUrl"`
		Paths   map[string][]string `json:"paths"`
		Target  string              `json:"target"`
		Lib     []string            `json:"lib"`
	} `json:"compilerOptions"`
	dir string
}

// aliases lists where a bare module name could lead, by the configuration
// nearest to the importing file.
func (p *project) aliases(from, module string) []string {
	var out []string
	for dir := path.Dir(from); ; dir = path.Dir(dir) {
		if c := p.config(dir); c != nil {
			out = append(out, c.mapped(module)...)
		}
		if rest, ok := strings.CutPrefix(module, "@/"); ok {
			out = append(out, path.Join(dir, "src", rest))
		} else if rest, ok := strings.CutPrefix(module, "$lib/"); ok {
			out = append(out, path.Join(dir, "src/lib", rest))
		}
		if dir == "." || dir == "/" {
			return out
		}
	}
}

func (c *tsconfig) mapped(module string) []string {
	var out []string
	base := path.Join(c.dir, c.CompilerOptions.BaseURL)
	patterns := make([]string, 0, len(c.CompilerOptions.Paths))
	for pat := range c.CompilerOptions.Paths {
		patterns = append(patterns, pat)
	}
	sort.Slice(patterns, func(i, k int) bool { return len(patterns[i]) > len(patterns[k]) })
	for _, pat := range patterns {
		prefix, suffix, star := strings.Cut(pat, "*")
		if !star && pat != module || star && !(strings.HasPrefix(module, prefix) && strings.HasSuffix(module, suffix) &&
			len(module) >= len(prefix)+len(suffix)) {
			continue
		}
		mid := ""
		if star {
			mid = module[len(prefix) : len(module)-len(suffix)]
		}
		for _, t := range c.CompilerOptions.Paths[pat] {
			out = append(out, path.Join(base, strings.Replace(t, "*", mid, 1)))
		}
	}
	if c.CompilerOptions.BaseURL != "" {
		out = append(out, path.Join(base, module))
	}
	return out
}

// config reads the configuration of a folder, following extends inside the project.
func (p *project) config(dir string) *tsconfig {
	p.mu.Lock()
	configs, ok := p.extra["tsconfig"].(map[string]*tsconfig)
	if !ok {
		configs = map[string]*tsconfig{}
		p.extra["tsconfig"] = configs
	}
	c, ok := configs[dir]
	p.mu.Unlock()
	if ok {
		return c
	}
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		if f := path.Join(dir, name); p.index[f] && c == nil {
			c = p.readConfig(f, 0)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	configs[dir] = c
	return c
}

func (p *project) readConfig(file string, depth int) *tsconfig {
	b, err := p.src.Read(file)
	if err != nil || depth > 5 {
		return nil
	}
	c := &tsconfig{dir: path.Dir(file)}
	if json.Unmarshal(plainJSON(b), c) != nil {
		return nil
	}
	if e, ok := c.Extends.(string); ok && strings.HasPrefix(e, ".") && c.CompilerOptions.Paths == nil &&
		c.CompilerOptions.BaseURL == "" {
		f := path.Join(c.dir, e)
		if !strings.HasSuffix(f, ".json") {
			f += ".json"
		}
		if base := p.readConfig(f, depth+1); base != nil {
			if c.CompilerOptions.Target != "" {
				base.CompilerOptions.Target = c.CompilerOptions.Target
			}
			if c.CompilerOptions.Lib != nil {
				base.CompilerOptions.Lib = c.CompilerOptions.Lib
			}
			return base
		}
	}
	return c
}

// plainJSON removes the comments and trailing commas that tsconfig files may have.
func plainJSON(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			start := i
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			out = append(out, b[start:min(i+1, len(b))]...)
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '/':
			for i < len(b) && b[i] != '\n' {
				i++
			}
		case b[i] == '/' && i+1 < len(b) && b[i+1] == '*':
			for i += 2; i+1 < len(b) && !(b[i] == '*' && b[i+1] == '/'); i++ {
			}
			i++
		case b[i] == '}' || b[i] == ']':
			out = append(trimComma(out), b[i])
		default:
			out = append(out, b[i])
		}
	}
	return out
}

func trimComma(b []byte) []byte {
	end := len(b)
	for end > 0 && strings.ContainsRune(" \t\r\n", rune(b[end-1])) {
		end--
	}
	if end > 0 && b[end-1] == ',' {
		return b[:end-1]
	}
	return b
}

// ownPackage is the folder of the project's package (a workspace) that a bare
// module name means, and what follows the package's name.
func (p *project) ownPackage(module string) (dir, rest, entry string, ok bool) {
	parts := strings.SplitN(module, "/", 3)
	n := 1
	if strings.HasPrefix(module, "@") {
		n = 2
	}
	if len(parts) < n {
		return "", "", "", false
	}
	pkg, ok := p.packages()[strings.Join(parts[:n], "/")]
	return pkg.dir, strings.Join(parts[n:], "/"), pkg.Main, ok
}

type ownPackage struct {
	Name string `json:"name"`
	Main string `json:"main"`
	dir  string
}

func (p *project) packages() map[string]ownPackage {
	p.mu.Lock()
	own, ok := p.extra["packages"].(map[string]ownPackage)
	p.mu.Unlock()
	if ok {
		return own
	}
	own = map[string]ownPackage{}
	for _, f := range p.files {
		if path.Base(f) == "package.json" && !strings.Contains(f, "node_modules/") {
			pkg := ownPackage{dir: path.Dir(f)}
			if b, err := p.src.Read(f); err == nil && json.Unmarshal(b, &pkg) == nil && pkg.Name != "" {
				own[pkg.Name] = pkg
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extra["packages"] = own
	return own
}

// workspace finds the file of one of the project's own packages.
func (p *project) workspace(dir, rest, entry string) place {
	tries := []string{path.Join(dir, rest), path.Join(dir, "src", rest)}
	if rest == "" && entry != "" {
		tries = append([]string{path.Join(dir, entry)}, tries...)
	}
	for _, t := range tries {
		if at := p.jsModule(t); at.file != "" {
			return at
		}
	}
	return place{}
}

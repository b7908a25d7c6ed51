package golang

import (
	"go/ast"
	"go/token"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decl is one declaration of a name, found in the syntax.
type decl struct {
	name  *ast.Ident
	file  *goFile
	kind  string // func, method, type, field, var, const, param, local
	owner string // the type of a method or field; the function of a param or local
	node  ast.Node
	doc   *ast.CommentGroup
	local bool // declared inside a function
}

// symbol is one thing with a name: several decls when build constraints choose among them.
type symbol struct {
	decls []*decl
}

func (s *symbol) first() *decl { return s.decls[0] }

// String names the symbol as a user would, and where it is.
func (s *symbol) String() string {
	d := s.first()
	n := d.name.Name
	if d.owner != "" && (d.kind == "method" || d.kind == "field") {
		n = d.owner + "." + n
	}
	return d.kind + " " + n + " (" + d.place() + ")"
}

func (d *decl) place() string { return d.file.path + ":" + strconv.Itoa(d.file.lineOf(d.name.Pos())) }

// query is a symbol as a request writes it: Name, pkg.Name, Type.Member,
// pkg.Type.Member, path/to/pkg.Name, func.local.
type query struct {
	qualifiers []string // outermost first
	name       string
	kind       string
}

func parseQuery(s, kind string) query {
	s = strings.TrimSpace(s)
	s = strings.TrimSuffix(s, "()")
	s = strings.NewReplacer("(*", "", "(", "", ")", "", "*", "", "`", "", "&", "").Replace(s)
	prefix := ""
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		prefix, s = s[:i+1], s[i+1:]
	}
	parts := strings.Split(s, ".")
	parts[0] = prefix + parts[0]
	if prefix != "" && len(parts) == 1 {
		return query{name: s, kind: kind} // a path without a name names nothing
	}
	return query{qualifiers: parts[:len(parts)-1], name: parts[len(parts)-1], kind: kind}
}

// matches reports whether the declaration is one that the query may mean.
func (q query) matches(p *project, d *decl) bool {
	if d.name.Name != q.name || q.kind != "" && !kindMatches(q.kind, d) {
		return false
	}
	switch len(q.qualifiers) {
	case 0:
		return true
	case 1:
		return q.qualifiers[0] == d.owner || d.owner == "" && isPackage(p, d, q.qualifiers[0]) ||
			d.local && isPackage(p, d, q.qualifiers[0])
	case 2:
		return q.qualifiers[1] == d.owner && (isPackage(p, d, q.qualifiers[0]) || d.methodOf(q.qualifiers[0]))
	case 3:
		return q.qualifiers[2] == d.owner && d.methodOf(q.qualifiers[1]) && isPackage(p, d, q.qualifiers[0])
	}
	return false
}

// methodOf reports whether d is declared inside a method of the type.
func (d *decl) methodOf(typeName string) bool {
	f, ok := d.node.(*ast.FuncDecl)
	return d.local && ok && receiverName(f) == typeName
}

func kindMatches(kind string, d *decl) bool {
	switch kind {
	case "func":
		return d.kind == "func" || d.kind == "method"
	case "class", "struct", "interface":
		return d.kind == "type"
	case "local":
		return d.local
	case "var":
		return d.kind == "var" || d.kind == "local"
	case "property", "attribute":
		return d.kind == "field"
	}
	return d.kind == kind
}

func isPackage(p *project, d *decl, q string) bool {
	if d.file.ast.Name.Name == q {
		return true
	}
	imp := p.mods.importPath(d.file.dir)
	return imp == q || strings.HasSuffix(imp, "/"+q) || d.file.dir == q
}

// declsIn collects the declarations at package level and their members.
// name "" collects every one.
func declsIn(g *goFile, name string) []*decl {
	c := &declCollector{g: g, name: name}
	for _, d := range g.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				c.add(d.Name, "func", "", d, d.Doc)
			} else {
				c.add(d.Name, "method", receiverName(d), d, d.Doc)
			}
		case *ast.GenDecl:
			c.genDecl(d)
		}
	}
	return c.out
}

type declCollector struct {
	g     *goFile
	name  string
	local bool
	out   []*decl
}

func (c *declCollector) add(id *ast.Ident, kind, owner string, n ast.Node, doc *ast.CommentGroup) {
	if id == nil || id.Name == "_" || c.name != "" && id.Name != c.name {
		return
	}
	c.out = append(c.out, &decl{name: id, file: c.g, kind: kind, owner: owner, node: n, doc: doc, local: c.local})
}

func (c *declCollector) genDecl(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			c.add(s.Name, "type", "", s, specDoc(d, s.Doc))
			c.members(s.Name.Name, s.Type)
		case *ast.ValueSpec:
			kind := "var"
			if d.Tok == token.CONST {
				kind = "const"
			}
			for _, n := range s.Names {
				c.add(n, kind, "", s, specDoc(d, s.Doc))
			}
			c.members("", s.Type)
		}
	}
}

func specDoc(d *ast.GenDecl, own *ast.CommentGroup) *ast.CommentGroup {
	if own == nil && !d.Lparen.IsValid() {
		return d.Doc
	}
	return own
}

// members collects the fields and methods of a type, nested ones included.
func (c *declCollector) members(owner string, t ast.Expr) {
	if t == nil {
		return
	}
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.FuncType:
			return false // its fields are parameters
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, id := range f.Names {
					c.add(id, "field", owner, f, f.Doc)
				}
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				for _, id := range f.Names {
					c.add(id, "method", owner, f, f.Doc)
				}
			}
		}
		return true
	})
}

// receiverName is the name of a method's receiver type.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// symbolsOf groups declarations: those of one package that can only be
// alternatives of each other under build constraints are one symbol.
func symbolsOf(ds []*decl) []*symbol {
	by := map[string]*symbol{}
	var out []*symbol
	for _, d := range ds {
		key := d.file.dir + "|" + d.file.ast.Name.Name + "|" + d.owner + "|" + d.kind
		if d.local || d.owner == "" && d.kind == "field" || standalone(d.file) {
			key = d.file.path + "|" + strconv.Itoa(int(d.name.Pos()))
		}
		s := by[key]
		if s == nil {
			s = &symbol{}
			by[key] = s
			out = append(out, s)
		}
		s.decls = append(s.decls, d)
	}
	return out
}

// exported reports whether other packages can name it.
func exported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

// vendored reports whether the file is a copy of somebody else's code.
func vendored(p string) bool {
	return strings.HasPrefix(p, "vendor/") || strings.Contains(p, "/vendor/")
}

// find returns the symbols that a query may mean. Declarations at package
// level, methods and fields come before parameters and local variables: those
// are returned only when there is none of the former, or when asked for.
func (p *project) find(q query) []*symbol {
	if top := p.findTop(q); len(top) > 0 {
		return top
	}
	return p.findLocal(q, p.mentioning(q.name))
}

func (p *project) findTop(q query) []*symbol {
	var out []*decl
	for _, g := range p.files(p.mentioning(q.name)) {
		if vendored(g.path) {
			continue
		}
		for _, d := range declsIn(g, q.name) {
			if q.matches(p, d) {
				out = append(out, d)
			}
		}
	}
	return symbolsOf(out)
}

func (p *project) findLocal(q query, files []string) []*symbol {
	var out []*decl
	for _, g := range p.files(files) {
		if vendored(g.path) {
			continue
		}
		for _, d := range p.localDecls(g, q.name) {
			if q.matches(p, d) {
				out = append(out, d)
			}
		}
	}
	return symbolsOf(out)
}

// names lists the names declared at package level, with Type.Member forms for members.
func (p *project) names(keep func(*decl) bool) []string {
	set := map[string]bool{}
	var all []string
	for _, fs := range p.dirs {
		all = append(all, fs...)
	}
	for _, g := range p.files(all) {
		if vendored(g.path) {
			continue
		}
		for _, d := range declsIn(g, "") {
			if keep != nil && !keep(d) {
				continue
			}
			set[d.name.Name] = true
		}
	}
	out := make([]string, 0, len(set))
	for n := range set {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

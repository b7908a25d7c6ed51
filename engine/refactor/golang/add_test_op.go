package golang

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"sort"
	"strings"
)

// addTest writes a table-driven test for a function into the _test.go file
// beside it. The table is empty, with a comment that says so: an invented case
// would be a test of nothing.
func (j *job) addTest() error {
	s, err := j.symbol("func", "func method")
	if err != nil {
		return err
	}
	d := s.first()
	fn, ok := d.node.(*ast.FuncDecl)
	switch {
	case !ok || d.local || len(s.decls) > 1:
		return j.declined("%s is not one function with a body of its own", s)
	case d.file.test:
		return j.declined("%s is in a test file itself", s)
	case d.kind == "func" && (d.name.Name == "main" || d.name.Name == "init"):
		return j.declined("%s cannot be called from a test", d.name.Name)
	}
	_, x := j.unitOf(j.p, d.file)
	if x == nil {
		return j.declined("no build includes %s", d.file.path)
	}
	o, ok := x.info.Defs[d.name].(*types.Func)
	if !ok {
		return j.declined("%s does not type-check", s)
	}
	sig := o.Signature()
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return j.declined("%s is generic; which types to test it with is yours to choose", s)
	}
	t := &testWriter{j: j, d: d, fn: fn, sig: sig, pkg: x.pkg, imports: map[string]bool{"testing": true}}
	return t.write()
}

type testWriter struct {
	j       *job
	d       *decl
	fn      *ast.FuncDecl
	sig     *types.Signature
	pkg     *types.Package
	file    *goFile // the existing test file, or nil
	outside bool    // the test file's package is foo_test
	imports map[string]bool
}

func (t *testWriter) write() error {
	j, g := t.j, t.d.file
	name := "Test" + upper(t.d.name.Name)
	if t.d.owner != "" {
		name = "Test" + upper(t.d.owner) + "_" + t.d.name.Name
	}
	for _, f := range j.p.dirs[g.dir] {
		if o := j.p.file(f); o != nil && o.test {
			if ds := declsIn(o, name); len(ds) > 0 {
				return j.declined("%s exists already (%s)", name, ds[0].place())
			}
		}
	}
	file := strings.TrimSuffix(g.path, ".go") + "_test.go"
	if _, ok := j.p.bytes[file]; ok {
		if t.file = j.p.file(file); t.file == nil || t.file.err != nil {
			return j.declined("%s does not parse", file)
		}
		t.outside = t.file.ast.Name.Name != g.ast.Name.Name
	} else if slices.Contains(j.p.all, file) {
		return j.declined("%s exists and cannot be read", file)
	}
	if t.outside && (!exported(t.d.name.Name) || t.d.owner != "" && !exported(t.d.owner)) {
		return j.declined("%s is a test of the package from outside, which cannot see %s", file, t.d.name.Name)
	}
	body := t.body(name)
	if t.file != nil {
		end := len(t.file.src)
		lead := "\n"
		if end > 0 && t.file.src[end-1] != '\n' {
			lead = "\n\n"
		}
		j.insertLines(t.file, end, lead+body)
	} else {
		j.edits.newFile(file, withEOL(g, t.header()+body))
	}
	j.summary = fmt.Sprintf("Added %s to %s; its table of cases is empty.", name, file)
	return j.settle()
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// header is the package clause, build constraint and imports of a new file.
func (t *testWriter) header() string {
	var b strings.Builder
	if g := t.d.file; g.expr != nil {
		b.WriteString("//go:build " + g.expr.String() + "\n\n")
	}
	b.WriteString("package " + t.d.file.ast.Name.Name + "\n\nimport (\n")
	paths := keys(t.imports)
	sort.SliceStable(paths, func(i, k int) bool {
		return t.j.p.classOf(t.d.file, paths[i]) < t.j.p.classOf(t.d.file, paths[k])
	})
	for i, p := range paths {
		if i > 0 && t.j.p.classOf(t.d.file, paths[i-1]) != t.j.p.classOf(t.d.file, p) {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString(")\n\n")
	return b.String()
}

// imported is the name of a package in the test file.
func (t *testWriter) imported(p string) string {
	if t.file != nil {
		return t.j.useImport(t.file, p)
	}
	t.imports[p] = true
	return t.j.p.packageName(t.d.file.dir, p)
}

func (t *testWriter) typeText(typ types.Type) string {
	return types.TypeString(typ, func(p *types.Package) string {
		if p == t.pkg && !t.outside {
			return ""
		}
		return t.imported(p.Path())
	})
}

// field is one column of the table.
type field struct{ name, typ string }

func (t *testWriter) body(name string) string {
	t.imported("testing")
	args, call := t.arguments()
	recv := ""
	fields := []field{{"name", "string"}}
	if r := t.sig.Recv(); r != nil {
		fields = append(fields, field{"recv", t.typeText(r.Type())})
		recv = "tt.recv."
	} else if t.outside {
		recv = t.imported(t.pkg.Path()) + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(t *testing.T) {\n", name)
	if len(args) > 0 {
		b.WriteString("\ttype args struct {\n")
		for _, a := range args {
			fmt.Fprintf(&b, "\t\t%s %s\n", a.name, a.typ)
		}
		b.WriteString("\t}\n")
		fields = append(fields, field{"args", "args"})
	}
	wants, checks := t.results(t.d.name.Name)
	b.WriteString("\ttests := []struct {\n")
	for _, f := range append(fields, wants...) {
		fmt.Fprintf(&b, "\t\t%s %s\n", f.name, f.typ)
	}
	b.WriteString("\t}{\n\t\t// One line per case: a name, what goes in, what must come out.\n\t}\n")
	fmt.Fprintf(&b,
		"\tfor _, tt := range tests {\n\t\tt.Run(tt.name, func(t *testing.T) {\n\t\t\t%s%s%s(%s)\n%s\t\t})\n\t}\n}\n",
		t.targets(), recv, t.d.name.Name, call, checks)
	return b.String()
}

// arguments are the columns for the parameters and the call's argument list.
func (t *testWriter) arguments() (args []field, call string) {
	var in []string
	ps := t.sig.Params()
	for i := range ps.Len() {
		p := ps.At(i)
		n := p.Name()
		if n == "" || n == "_" {
			n = fmt.Sprintf("arg%d", i)
		}
		arg := "tt.args." + n
		if t.sig.Variadic() && i == ps.Len()-1 {
			arg += "..."
		}
		args = append(args, field{n, t.typeText(p.Type())})
		in = append(in, arg)
	}
	return args, strings.Join(in, ", ")
}

// targets is the left side of the call: got, err :=
func (t *testWriter) targets() string {
	var names []string
	rs := t.sig.Results()
	for i := range rs.Len() {
		switch {
		case t.isErr(i):
			names = append(names, "err")
		case isFunc(rs.At(i).Type()):
			names = append(names, "_")
		default:
			names = append(names, t.got(i))
		}
	}
	if len(names) == 0 {
		return ""
	}
	op := " := "
	if !slices.ContainsFunc(names, func(n string) bool { return n != "_" }) {
		op = " = "
	}
	return strings.Join(names, ", ") + op
}

func (t *testWriter) isErr(i int) bool {
	rs := t.sig.Results()
	return i == rs.Len()-1 && isError(rs.At(i).Type())
}

func isFunc(t types.Type) bool { _, ok := t.Underlying().(*types.Signature); return ok }

func (t *testWriter) got(i int) string {
	if i == 0 {
		return "got"
	}
	return fmt.Sprintf("got%d", i)
}

// results are the columns for what must come out, and the code that compares.
func (t *testWriter) results(fn string) (wants []field, checks string) {
	var b strings.Builder
	rs := t.sig.Results()
	if n := rs.Len(); n > 0 && t.isErr(n-1) {
		fmt.Fprintf(&b, "\t\t\tif (err != nil) != tt.wantErr {\n\t\t\t\tt.Fatalf(\"%s() error = %%v, wantErr %%v\", err, tt.wantErr)\n\t\t\t}\n", fn)
	}
	for i := range rs.Len() {
		typ := rs.At(i).Type()
		if t.isErr(i) || isFunc(typ) {
			continue
		}
		got, want := t.got(i), strings.Replace(t.got(i), "got", "want", 1)
		wants = append(wants, field{want, t.typeText(typ)})
		differ := got + " != tt." + want
		if !types.Comparable(typ) || pointerLike(typ) {
			differ = "!" + t.imported("reflect") + ".DeepEqual(" + got + ", tt." + want + ")"
		}
		fmt.Fprintf(&b, "\t\t\tif %s {\n\t\t\t\tt.Errorf(\"%s() %s = %%v, want %%v\", %s, tt.%s)\n\t\t\t}\n", differ,
			fn, got, got, want)
	}
	if n := rs.Len(); n > 0 && t.isErr(n-1) {
		wants = append(wants, field{"wantErr", "bool"})
	}
	return wants, b.String()
}

// pointerLike are types whose == is about identity, or may panic.
func pointerLike(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Struct, *types.Array:
		return true
	}
	return false
}

package golang

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// Packages that read command lines.
const (
	flagPath  = "flag"
	pflagPath = "github.com/spf13/pflag"
	cobraPath = "github.com/spf13/cobra"
)

// CommandLines are the flag sets of the project.
func (s syntax) CommandLines() ([]*ops.CommandLine, error) {
	var sets []*flagSet
	for _, g := range s.p.flagReaders() {
		_, x := s.unitOf(s.p, g)
		if x == nil || x.info == nil {
			continue
		}
		sets = s.flagSets(g, x, sets)
	}
	var out []*ops.CommandLine
	for _, set := range sets {
		if len(set.calls) > 0 {
			out = append(out, set.commandLine())
		}
	}
	return out, s.ctx.Err()
}

// flagReaders are the files that import a package that reads command lines.
func (p *project) flagReaders() []*goFile {
	return slices.DeleteFunc(p.files(p.mentioning("flag", "pflag", "cobra")), func(g *goFile) bool {
		return g.err != nil || !readsFlags(g) || g.generated()
	})
}

func readsFlags(g *goFile) bool {
	return slices.ContainsFunc(g.ast.Imports, func(i *ast.ImportSpec) bool {
		p, err := strconv.Unquote(i.Path.Value)
		return err == nil && (p == flagPath || p == pflagPath || p == cobraPath)
	})
}

// flagSet is one set of flags: a package's, a FlagSet's, or a command's.
type flagSet struct {
	s      syntax
	key    any
	called []string
	calls  []flagCall // that declare a flag, in the order of the source
	path   string     // of the package that reads them
}

// flagCall declares one flag.
type flagCall struct {
	g      *goFile
	x      *unit
	call   *ast.CallExpr
	method string // BoolVar, StringP
	stack  []ast.Node
	name   string
	help   string
}

var flagMethod = regexp.MustCompile(
	`^(Bool|Int|Int8|Int16|Int32|Int64|Uint|Uint8|Uint16|Uint32|Uint64|String|Float32|Float64|Duration|StringSlice|` +
		`StringArray|IntSlice|Count|Text|Func|BoolFunc|)(Var)?P?$`)

// flagSets adds the file's flags to the sets.
func (s syntax) flagSets(g *goFile, x *unit, sets []*flagSet) []*flagSet {
	var stack []ast.Node
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name == "" || !flagMethod.MatchString(sel.Sel.Name) {
			return true
		}
		key, path, called := setOf(g, x, sel.X)
		c := flagCall{g: g, x: x, call: call, method: sel.Sel.Name, stack: slices.Clone(stack)}
		if key == nil || !c.read() {
			return true
		}
		if fn := c.function(); fn != nil {
			called = append([]string{fn.Name.Name}, called...)
		}
		i := slices.IndexFunc(sets, func(f *flagSet) bool { return f.key == key })
		if i < 0 {
			i, sets = len(sets), append(sets, &flagSet{s: s, key: key, path: path})
		}
		for _, n := range called {
			if !slices.Contains(sets[i].called, n) {
				sets[i].called = append(sets[i].called, n)
			}
		}
		sets[i].calls = append(sets[i].calls, c)
		return true
	})
	return sets
}

// packageFlags is the set of a package that uses package flag without a FlagSet.
type packageFlags struct{ dir string }

// setOf is the set that a method is called on, nil if it is none.
func setOf(g *goFile, x *unit, on ast.Expr) (key any, path string, called []string) {
	if id, ok := on.(*ast.Ident); ok {
		if p, ok := x.info.Uses[id].(*types.PkgName); ok {
			if path := p.Imported().Path(); path == flagPath || path == pflagPath {
				return packageFlags{g.dir}, path, nil
			}
			return nil, "", nil
		}
	}
	if path = flagSetPath(x.info.TypeOf(on)); path != "" {
		if o := rootObject(x, on); o != nil {
			return o, path, append([]string{o.Name()}, useOf(g, x, o)...)
		}
		return nil, "", nil
	}
	call, ok := on.(*ast.CallExpr)
	if !ok || !importsPath(g, cobraPath) {
		return nil, "", nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Flags" && sel.Sel.Name != "PersistentFlags" {
		return nil, "", nil
	}
	if o := rootObject(x, sel.X); o != nil {
		return o, pflagPath, append([]string{o.Name()}, useOf(g, x, o)...)
	}
	return nil, "", nil
}

func importsPath(g *goFile, path string) bool {
	return slices.ContainsFunc(g.ast.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == strconv.Quote(path) })
}

// flagSetPath is the package of a *FlagSet, "" for other types.
func flagSetPath(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Name() != "FlagSet" {
		return ""
	}
	if path := n.Obj().Pkg().Path(); path == flagPath || path == pflagPath {
		return path
	}
	return ""
}

// rootObject is the variable or field that holds a set: cmd of cmd.Flags().
func rootObject(x *unit, e ast.Expr) types.Object {
	switch e := e.(type) {
	case *ast.Ident:
		return x.info.ObjectOf(e)
	case *ast.SelectorExpr:
		return x.info.ObjectOf(e.Sel)
	case *ast.CallExpr:
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok {
			return rootObject(x, sel.X)
		}
	}
	return nil
}

// useOf is the name of the subcommand that a variable is made with: NewFlagSet("serve", ...),
// cobra.Command{Use: "serve"}.
func useOf(g *goFile, x *unit, o types.Object) (out []string) {
	ast.Inspect(g.ast, func(n ast.Node) bool {
		var left, right []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			left, right = n.Lhs, n.Rhs
		case *ast.ValueSpec:
			for _, id := range n.Names {
				left = append(left, id)
			}
			right = n.Values
		}
		if len(left) != 1 || len(right) != 1 || rootObject(x, left[0]) != o {
			return true
		}
		ast.Inspect(right[0], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Use" {
					out = append(out, firstWord(n.Value)...)
				}
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "NewFlagSet" && len(n.Args) > 0 {
					out = append(out, firstWord(n.Args[0])...)
				}
			}
			return true
		})
		return false
	})
	return out
}

func firstWord(e ast.Expr) []string {
	words := strings.Fields(stringOf(e))
	return words[:min(len(words), 1)]
}

// stringOf is the value of a string literal.
func stringOf(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		if s, err := strconv.Unquote(l.Value); err == nil {
			return s
		}
	}
	return ""
}

// read takes name and help from the arguments; false for a call that declares no flag.
func (c *flagCall) read() bool {
	at := 0
	if strings.Contains(c.method, "Var") || c.method == "" {
		at = 1
	}
	if len(c.call.Args) < at+2 {
		return false
	}
	help := c.call.Args[len(c.call.Args)-1]
	if c.method == "Func" || c.method == "BoolFunc" {
		help = c.call.Args[at+1]
	}
	c.name, c.help = stringOf(c.call.Args[at]), stringOf(help)
	return true
}

// function is the declared function around the call, nil at the top of the file.
func (c *flagCall) function() *ast.FuncDecl {
	for _, n := range c.stack {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
	}
	return nil
}

func (f *flagSet) commandLine() *ops.CommandLine {
	first := f.calls[0]
	out := &ops.CommandLine{File: f.s.kitFile(first.g), Called: f.called, From: first.g.off(first.call.Pos()), Add: f.add}
	for _, c := range f.calls {
		if c.g == first.g {
			out.To = c.g.off(c.call.End())
		}
		if c.name != "" {
			out.Flags = append(out.Flags, c.name)
		}
	}
	switch _, whole := f.key.(packageFlags); {
	case whole:
		out.Title = "the program in " + first.g.dir
		if first.g.dir == "." {
			out.Title = "the program"
		}
	default:
		out.Title = f.called[len(f.called)-1]
	}
	return out
}

// add writes the flag behind the last of those that are declared in a way that can be followed,
// or between them where they are in alphabetical order.
func (f *flagSet) add(flag ops.Flag, e *kit.Edits) (string, error) {
	like, before := f.neighbour(flag.Name)
	a := &newFlag{flagSet: f, Flag: flag, e: e, like: like, before: before}
	var err error
	if a.method, a.typ, a.value, err = f.goValue(like.g, flag); err != nil {
		return "", err
	}
	var helps []string
	for _, c := range f.calls {
		helps = append(helps, c.help)
	}
	a.help = strconv.Quote(flag.HelpLike(helps))
	return a.write()
}

// neighbour is the flag that the new one is written like, and behind, or before.
func (f *flagSet) neighbour(name string) (like flagCall, before bool) {
	var sure []flagCall
	for _, c := range f.calls {
		if c.style() != unknownStyle && c.style() != pointerStyle {
			sure = append(sure, c)
		}
	}
	if len(sure) == 0 {
		sure = slices.DeleteFunc(slices.Clone(f.calls), func(c flagCall) bool { return c.style() == unknownStyle })
	}
	if len(sure) == 0 {
		return f.calls[len(f.calls)-1], false
	}
	depth := func(c flagCall) int { return len(c.stack) }
	least := depth(slices.MinFunc(sure, func(a, b flagCall) int { return cmp.Compare(depth(a), depth(b)) }))
	sure = slices.DeleteFunc(sure, func(c flagCall) bool { return depth(c) > least+1 })
	last := sure[len(sure)-1]
	same := largest(slices.DeleteFunc(slices.Clone(sure), func(c flagCall) bool { return c.block() != last.block() }))
	last = same[len(same)-1]
	sorted := len(same) > 2 && slices.IsSortedFunc(same, func(a, b flagCall) int {
		return strings.Compare(a.name, b.name)
	})
	for _, c := range same {
		if sorted && c.name > name {
			return c, true
		}
	}
	return last, false
}

// largest is the longest run of flags without a blank line between them, the last of several: the
// others are apart for a reason.
func largest(all []flagCall) []flagCall {
	var best []flagCall
	from := 0
	for i, c := range all {
		g := c.g
		if i+1 < len(all) && strings.Count(string(g.src[g.off(c.call.End()):g.off(all[i+1].call.Pos())]), "\n\n") == 0 {
			continue
		}
		if run := all[from : i+1]; len(run) >= len(best) {
			best = run
		}
		from = i + 1
	}
	return best
}

type flagStyle int

const (
	unknownStyle flagStyle = iota
	globalStyle            // var x = flag.Bool(...)
	pointerStyle           // x := flag.Bool(...)
	targetStyle            // flag.BoolVar(&x, ...)
	unheldStyle            // cmd.Flags().Bool(...), read by its name
)

// style is how the flag's value is held.
func (c flagCall) style() flagStyle {
	if len(c.stack) < 3 || c.method == "" {
		return unknownStyle
	}
	parent := c.stack[len(c.stack)-2]
	var isVar = strings.Contains(c.method, "Var")
	switch p := parent.(type) {
	case *ast.ValueSpec:
		if c.function() == nil && !isVar && len(p.Names) == 1 {
			return globalStyle
		}
		if c.function() != nil {
			return pointerStyle
		}
	case *ast.AssignStmt:
		if !isVar && p.Tok == token.DEFINE && c.inBlock() {
			return pointerStyle
		}
	case *ast.ExprStmt:
		switch {
		case !c.inBlock():
		case isVar:
			return targetStyle
		default:
			return unheldStyle
		}
	}
	return unknownStyle
}

// inBlock reports whether the call's statement is one of a block.
func (c flagCall) inBlock() bool { return c.block() != nil }

// block is what holds the statement or the specification.
func (c flagCall) block() ast.Node {
	switch b := c.stack[len(c.stack)-3].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.GenDecl:
		return b
	}
	return nil
}

// statement is the call's statement or specification.
func (c flagCall) statement() ast.Node { return c.stack[len(c.stack)-2] }

// goValue is the method for a flag's type, its type, and its default, in Go.
func (f *flagSet) goValue(g *goFile, flag ops.Flag) (method, typ, value string, err error) {
	v := flag.Value
	switch flag.Kind {
	case ops.Switch:
		return "Bool", "bool", cmp.Or(strings.ToLower(v), "false"), nil
	case ops.Int:
		m := map[string]string{"int64": "Int64", "uint": "Uint", "uint64": "Uint64", "long": "Int64"}[flag.Type]
		if f.path == pflagPath && m == "" {
			m = map[string]string{"int32": "Int32", "uint32": "Uint32"}[flag.Type]
		}
		m = cmp.Or(m, "Int")
		return m, strings.ToLower(m), cmp.Or(v, "0"), nil
	case ops.Float:
		return "Float64", "float64", cmp.Or(v, "0"), nil
	case ops.Text:
		if !flag.Code {
			v = strconv.Quote(v)
		}
		return "String", "string", v, nil
	case ops.Duration:
		time := f.s.useImport(g, "time")
		if n, unit, ok := flag.Nanos(); ok {
			v = n + "*" + time + "." + map[string]string{"ns": "Nanosecond", "us": "Microsecond", "ms": "Millisecond",
				"s": "Second", "m": "Minute", "h": "Hour"}[unit]
		}
		return "Duration", time + ".Duration", cmp.Or(v, "0"), nil
	case ops.OtherFlag:
		if flag.Type == "[]string" && f.path == pflagPath {
			return "StringSlice", "[]string", cmp.Or(v, "nil"), nil
		}
	}
	return "", "", "", f.s.declined("%s has no flags of type %s; it has bool, int, float, string and duration",
		f.path, flag.Type)
}

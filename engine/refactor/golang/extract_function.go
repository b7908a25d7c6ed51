package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
)

// Extractable declines what belongs to the function that holds it: deferred calls, recover,
// labels, bare returns of named results.
func (s syntax) Extractable(x *kit.Extraction) error {
	g := x.File.Raw.(*goFile)
	if !token.IsIdentifier(x.Name) || x.Name == "_" || x.Name == "init" || x.Name == "main" {
		return s.declined("%q is not a name for a function", x.Name)
	}
	if id := identNamed(g, x.Name); id != nil {
		return s.declined("%s is in use already at %s:%d", x.Name, g.path, g.lineOf(id.Pos()))
	}
	if decl := enclosingFunc(g, x.Stmts[0].Raw.(ast.Node)); decl != nil && decl.Recv != nil {
		if err := s.newMethod(x.Name); err != nil {
			return err
		}
	}
	var bad error
	for _, n := range x.Stmts {
		ast.Inspect(n.Raw.(ast.Node), func(n ast.Node) bool {
			if n == nil || bad != nil {
				return false
			}
			bad = s.ofItsFunction(g, x, n)
			_, inner := n.(*ast.FuncLit)
			return !inner
		})
	}
	return bad
}

// looked are the methods that the standard library looks for in any value.
var looked = strings.Fields(`String GoString Error Format Unwrap Is As Timeout Temporary Read Write Close Seek ReadAt
	WriteAt WriteTo ReadFrom ReadByte WriteByte ReadRune WriteString Len Less Swap Push Pop ServeHTTP Flush Hijack Set Get
	Scan Value MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary MarshalXML UnmarshalXML
	GobEncode GobDecode LogValue Lock Unlock Deadline Done Err Info Name Mode Size ModTime IsDir Sys Type`)

// newMethod declines a name with which a type may come to satisfy an interface.
func (s syntax) newMethod(name string) error {
	if slices.Contains(looked, name) {
		return s.declined("with a method %s, the type may pass for an interface that other code looks for", name)
	}
	for _, path := range s.p.mentioning(name) {
		var at ast.Node
		g := s.p.file(path)
		if g == nil || g.ast == nil {
			continue
		}
		ast.Inspect(g.ast, func(n ast.Node) bool {
			if t, ok := n.(*ast.InterfaceType); ok {
				for _, m := range t.Methods.List {
					if len(m.Names) > 0 && m.Names[0].Name == name {
						at = m
					}
				}
			}
			return at == nil
		})
		if at != nil {
			return s.declined("with a method %s, the type may satisfy the interface at %s:%d", name, path, g.lineOf(at.Pos()))
		}
	}
	return nil
}

func (s syntax) ofItsFunction(g *goFile, x *kit.Extraction, n ast.Node) error {
	at := func() int { return g.lineOf(n.Pos()) }
	switch n := n.(type) {
	case *ast.DeferStmt:
		return s.declined("the deferred call at line %d would run at the end of %s", at(), x.Name)
	case *ast.LabeledStmt:
		return s.declined("line %d is a label", at())
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "recover" {
			return s.declined("recover at line %d works in its own function only", at())
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 0 && funcType(x).Results.NumFields() > 0 {
			return s.declined("line %d returns the named results as they are", at())
		}
	}
	return nil
}

func identNamed(g *goFile, name string) *ast.Ident {
	var found *ast.Ident
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name && found == nil {
			found = id
		}
		return found == nil
	})
	return found
}

// funcType is the type of the innermost function around the statements.
func funcType(x *kit.Extraction) *ast.FuncType {
	if lit, ok := x.Func.Raw.(*ast.FuncLit); ok {
		return lit.Type
	}
	return x.Func.Raw.(*ast.FuncDecl).Type
}

// variables collects the variables of one top-level function.
type variables struct {
	syntax
	x    *kit.Extraction
	g    *goFile
	info *types.Info
	decl *ast.FuncDecl
	all  map[types.Object]*kit.Variable
	list []*kit.Variable
	held map[types.Object]bool // something has the address
	bad  error
}

func (s syntax) Vars(x *kit.Extraction) ([]*kit.Variable, error) {
	g := x.File.Raw.(*goFile)
	_, u := s.unitOf(s.p, g)
	if u == nil || u.info == nil {
		return nil, s.declined("no build includes %s", g.path)
	}
	v := &variables{syntax: s, x: x, g: g, info: u.info, all: map[types.Object]*kit.Variable{},
		held: map[types.Object]bool{}}
	if v.decl = enclosingFunc(g, x.Stmts[0].Raw.(ast.Node)); v.decl == nil {
		return nil, s.declined("the lines are not in a function of the package")
	}
	v.collect()
	var out []*kit.Variable
	for _, w := range v.list {
		if slices.ContainsFunc(w.Uses, x.Inside) {
			v.finish(w)
			if !v.receiver(w) {
				out = append(out, w)
			}
		}
	}
	return out, v.bad
}

// collect visits every identifier, with the nodes around it.
func (v *variables) collect() {
	var stack []ast.Node
	ast.Inspect(v.decl, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if c, ok := n.(*ast.CaseClause); ok {
			v.implicit(c, stack)
		}
		if id, ok := n.(*ast.Ident); ok {
			v.ident(id, stack)
		}
		stack = append(stack, n)
		return true
	})
	for _, w := range v.list {
		slices.SortStableFunc(w.Uses, func(a, b kit.Access) int { return a.At - b.At })
	}
}

// implicit is the symbol of a type switch, which each of its cases declares.
func (v *variables) implicit(c *ast.CaseClause, stack []ast.Node) {
	obj := v.info.Implicits[c]
	if obj == nil || len(stack) < 2 {
		return
	}
	if sw, ok := stack[len(stack)-2].(*ast.TypeSwitchStmt); ok {
		v.use(obj, kit.Access{At: v.g.off(sw.Assign.Pos()), To: v.g.off(sw.Assign.Pos()), Declares: true})
	}
}

func (v *variables) ident(id *ast.Ident, stack []ast.Node) {
	obj, declares := v.info.Defs[id], true
	if obj == nil {
		obj, declares = v.info.Uses[id], false
	}
	if obj == nil || obj.Pkg() == nil || obj.Parent() == nil || obj.Parent() == obj.Pkg().Scope() || obj.Name() == "_" {
		return
	}
	at := v.g.off(id.Pos())
	if _, ok := obj.(*types.Var); !ok {
		v.other(obj, at)
		return
	}
	u := kit.Access{At: at, To: at + len(id.Name), Declares: declares, Inner: v.inner(obj, stack)}
	u.Read, u.Write = !declares, declares
	if !declares {
		u.Read, u.Write = v.access(id, stack)
	}
	v.use(obj, u)
	if v.addressed(id, stack) {
		v.held[obj] = true
	}
}

func (v *variables) use(obj types.Object, u kit.Access) {
	w := v.all[obj]
	if w == nil {
		w = &kit.Variable{Name: obj.Name(), Raw: obj}
		v.all[obj] = w
		v.list = append(v.list, w)
	}
	w.Uses = append(w.Uses, u)
}

// other is a type, a constant or a package name that a function declares.
func (v *variables) other(obj types.Object, at int) {
	_, isType := obj.(*types.TypeName)
	_, isConst := obj.(*types.Const)
	if !isType && !isConst || obj.Pos() < v.decl.Pos() || obj.Pos() >= v.decl.End() {
		return
	}
	if _, ok := obj.Type().(*types.TypeParam); ok {
		return
	}
	declared := v.x.Inside(kit.Access{At: v.g.off(obj.Pos())})
	if declared != v.x.Inside(kit.Access{At: at}) && v.bad == nil {
		v.bad = v.declined("%s is declared in the function, and the lines cannot be parted from it", obj.Name())
	}
}

// inner reports whether a function literal between the declaration and the use keeps the variable.
func (v *variables) inner(obj types.Object, stack []ast.Node) bool {
	return slices.ContainsFunc(stack, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		return ok && (obj.Pos() < lit.Pos() || obj.Pos() >= lit.End())
	})
}

// access is what a statement does with the identifier.
func (v *variables) access(id *ast.Ident, stack []ast.Node) (read, write bool) {
	switch p := stack[len(stack)-1].(type) {
	case *ast.AssignStmt:
		if slices.Contains(p.Lhs, ast.Expr(id)) {
			return p.Tok != token.ASSIGN && p.Tok != token.DEFINE, true
		}
	case *ast.IncDecStmt:
		return true, true
	case *ast.RangeStmt:
		if p.Key == ast.Expr(id) || p.Value == ast.Expr(id) {
			return false, true
		}
	}
	return true, false
}

// addressed reports whether the use needs the variable itself: its address, or a part of it
// that is set.
func (v *variables) addressed(id *ast.Ident, stack []ast.Node) bool {
	var e ast.Expr = id
	for i := len(stack) - 1; i >= 0; i-- {
		switch p := stack[i].(type) {
		case *ast.ParenExpr:
			e = p
		case *ast.SelectorExpr:
			if p.X != e {
				return false
			}
			sel := v.info.Selections[p]
			if sel == nil || isPointer(v.info.TypeOf(e)) {
				return false
			}
			if sel.Kind() == types.MethodVal {
				sig, ok := sel.Obj().Type().(*types.Signature)
				return ok && sig.Recv() != nil && isPointer(sig.Recv().Type()) && !types.IsInterface(v.info.TypeOf(e))
			}
			if sel.Indirect() {
				return false
			}
			e = p
		case *ast.IndexExpr:
			if _, array := v.info.TypeOf(e).Underlying().(*types.Array); p.X != e || !array {
				return false
			}
			e = p
		case *ast.SliceExpr:
			_, array := v.info.TypeOf(e).Underlying().(*types.Array)
			return p.X == e && array
		case *ast.UnaryExpr:
			return p.Op == token.AND
		case *ast.AssignStmt:
			return e != ast.Expr(id) && slices.Contains(p.Lhs, e)
		case *ast.IncDecStmt:
			return e != ast.Expr(id)
		case *ast.RangeStmt:
			_, array := v.info.TypeOf(e).Underlying().(*types.Array)
			return e != ast.Expr(id) && (p.Key == e || p.Value == e) || p.X == e && array
		default:
			return false
		}
	}
	return false
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// finish says whether and how a variable can be handed over.
func (v *variables) finish(w *kit.Variable) {
	obj := w.Raw.(types.Object)
	w.Read = v.namedResult(obj)
	text, why := v.typeText(obj.Type(), nil)
	w.Type = text
	switch {
	case why != "":
		w.Fixed = fmt.Sprintf("%s has the type %s, %s", w.Name, types.TypeString(obj.Type(), (*types.Package).Name), why)
	case w.Read && slices.ContainsFunc(w.Uses, func(u kit.Access) bool { return v.x.Inside(u) && u.Write }) &&
		defersCalls(v.decl):
		w.Fixed = w.Name + " is a result that deferred calls may see"
	case v.held[obj] || locked(obj.Type(), map[types.Type]bool{}):
		v.byAddress(w, obj)
	}
}

// byAddress hands a variable over by its address, where the lines can use it through that.
func (v *variables) byAddress(w *kit.Variable, obj types.Object) {
	w.Fixed = w.Name + " has an address that is kept, and a copy is not the same variable"
	if !v.x.Outer(w) || types.IsInterface(obj.Type()) || isPointer(obj.Type()) {
		return
	}
	var patches []kit.Patch
	for _, u := range w.Uses {
		if !v.x.Inside(u) {
			continue
		}
		path := pathTo(v.g, v.identAt(u.At))
		if len(path) < 2 {
			return
		}
		switch p := path[1].(type) {
		case *ast.SelectorExpr:
		case *ast.UnaryExpr:
			if p.Op != token.AND {
				return
			}
			patches = append(patches, kit.Patch{From: v.g.off(p.Pos()), To: u.To, With: w.Name})
		case *ast.AssignStmt, *ast.ReturnStmt, *ast.CallExpr, *ast.KeyValueExpr:
			if slices.ContainsFunc(w.Uses, func(u kit.Access) bool { return v.x.Inside(u) && u.Declares }) {
				return
			}
			if a, ok := p.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && u.Write {
				return
			}
			patches = append(patches, kit.Patch{From: u.At, To: u.To, With: "*" + w.Name})
		default:
			return
		}
	}
	w.Ref, w.Fixed = true, ""
	v.x.Patches = append(v.x.Patches, patches...)
}

func (v *variables) identAt(at int) ast.Node {
	var found ast.Node
	ast.Inspect(v.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && v.g.off(id.Pos()) == at {
			found = id
		}
		return found == nil
	})
	return found
}

// locked reports whether a value holds what must not be copied.
func locked(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, "Lock"); obj != nil {
			if _, method := obj.(*types.Func); method {
				return true
			}
		}
		for f := range u.Fields() {
			if locked(f.Type(), seen) {
				return true
			}
		}
	case *types.Array:
		return locked(u.Elem(), seen)
	}
	return false
}

func (v *variables) namedResult(obj types.Object) bool {
	res := funcType(v.x).Results
	return res != nil && res.Pos() <= obj.Pos() && obj.Pos() < res.End()
}

func defersCalls(fn *ast.FuncDecl) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		_, d := n.(*ast.DeferStmt)
		found = found || d
		return !found
	})
	return found
}

// receiver takes the receiver out: the new function is a method if it is used.
func (v *variables) receiver(w *kit.Variable) bool {
	id := receiverIdent(v.decl)
	if id == nil || v.info.Defs[id] != w.Raw {
		return false
	}
	v.x.Self = w.Name
	if slices.ContainsFunc(w.Uses, func(u kit.Access) bool { return u.Write && !u.Declares }) ||
		!isPointer(w.Raw.(*types.Var).Type()) &&
			v.held[w.Raw.(types.Object)] {
		v.bad = v.declined("the lines set parts of the receiver %s, which is a copy", w.Name)
	}
	v.x.Patches = slices.DeleteFunc(v.x.Patches, func(p kit.Patch) bool {
		return slices.ContainsFunc(w.Uses, func(u kit.Access) bool { return p.To == u.To })
	})
	return true
}

func receiverIdent(fn *ast.FuncDecl) *ast.Ident {
	if fn.Recv == nil || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 {
		return nil
	}
	return fn.Recv.List[0].Names[0]
}

// typeText writes a type as the file does; imported, if given, is told each package.
func (v *variables) typeText(t types.Type, imported func(string) string) (text, why string) {
	_, u := v.unitOf(v.p, v.g)
	text = types.TypeString(t, func(p *types.Package) string {
		switch {
		case p.Path() == u.pkg.Path(), p.Path() == v.ownPath() && u.key.kind != "xtest":
			return ""
		case imported != nil:
			return imported(p.Path())
		}
		if n := v.p.localName(v.g, p.Path()); n != "" {
			return n
		}
		return p.Name()
	})
	why = unwritable(t, v.ownPath(), map[types.Type]bool{})
	return text, why
}

func (v *variables) ownPath() string {
	_, u := v.unitOf(v.p, v.g)
	return strings.TrimSuffix(u.pkg.Path(), "_test")
}

// unwritable says why a signature of the package cannot write the type, "" if it can.
func unwritable(t types.Type, own string, seen map[types.Type]bool) string {
	if seen[t] {
		return ""
	}
	seen[t] = true
	first := func(ts ...types.Type) string {
		for _, t := range ts {
			if why := unwritable(t, own, seen); why != "" {
				return why
			}
		}
		return ""
	}
	switch t := t.(type) {
	case *types.Basic:
		if t.Kind() == types.Invalid || t.Kind() == types.UntypedNil {
			return "which is not known"
		}
	case *types.Alias:
		if why := unwritableName(t.Obj(), own); why != "" {
			return why
		}
	case *types.Named:
		if why := unwritableName(t.Obj(), own); why != "" {
			return why
		}
		for a := range t.TypeArgs().Types() {
			if why := first(a); why != "" {
				return why
			}
		}
	case *types.Pointer:
		return first(t.Elem())
	case *types.Slice:
		return first(t.Elem())
	case *types.Array:
		return first(t.Elem())
	case *types.Chan:
		return first(t.Elem())
	case *types.Map:
		return first(t.Key(), t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if why := first(f.Type()); why != "" {
				return why
			}
		}
	case *types.Tuple:
		for p := range t.Variables() {
			if why := first(p.Type()); why != "" {
				return why
			}
		}
	case *types.Signature:
		return first(t.Params(), t.Results())
	}
	return ""
}

func unwritableName(obj *types.TypeName, own string) string {
	switch {
	case obj.Pkg() == nil:
	case obj.Parent() != obj.Pkg().Scope():
		return "which is declared in a function"
	case strings.TrimSuffix(obj.Pkg().Path(), "_test") != own && !obj.Exported():
		return "which its package does not export"
	}
	return ""
}

// Calling writes the call, and what declares or sets its results.
func (s syntax) Calling(x *kit.Extraction) ([]string, error) {
	g := x.File.Raw.(*goFile)
	decl := enclosingFunc(g, x.Stmts[0].Raw.(ast.Node))
	orderSignature(x)
	call := x.Name
	if x.Self == "" && receiverIdent(decl) != nil && decl.Recv != nil && generic(decl) {
		x.Self = receiverIdent(decl).Name
	}
	if x.Self != "" {
		call = x.Self + "." + call
	} else if names := typeParams(decl.Type.TypeParams); names != "" {
		call += "[" + names + "]"
	}
	var args []string
	for _, p := range x.Params {
		if p.Ref {
			args = append(args, "&"+p.Name)
		} else {
			args = append(args, p.Name)
		}
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if x.Returns {
		if funcType(x).Results.NumFields() > 0 {
			return []string{"return " + call}, nil
		}
		if x.Tail {
			return []string{call}, nil
		}
		return []string{call, "return"}, nil
	}
	return s.assigned(x, call), nil
}

func (s syntax) assigned(x *kit.Extraction, call string) []string {
	var names, lines []string
	fresh, all := false, true
	for _, r := range x.Results {
		names = append(names, r.Name)
		fresh = fresh || !x.Outer(r)
		all = all && (!x.Outer(r) || s.sameScope(x, r))
	}
	switch {
	case names == nil:
		return []string{call}
	case fresh && all:
		return []string{strings.Join(names, ", ") + " := " + call}
	}
	for _, r := range x.Results {
		if !x.Outer(r) {
			lines = append(lines, "var "+r.Name+" "+r.Type)
		}
	}
	return append(lines, strings.Join(names, ", ")+" = "+call)
}

// sameScope reports whether := at the place of the statements would set the variable, not
// declare another one.
func (s syntax) sameScope(x *kit.Extraction, r *kit.Variable) bool {
	g := x.File.Raw.(*goFile)
	_, u := s.unitOf(s.p, g)
	at := x.Stmts[0].Raw.(ast.Node).Pos()
	return u.pkg.Scope().Innermost(at) == r.Raw.(types.Object).Parent()
}

// orderSignature puts a context first and errors last, as everybody writes them.
func orderSignature(x *kit.Extraction) {
	slices.SortStableFunc(x.Params, func(a, b *kit.Variable) int {
		return rank(b, "context.Context") - rank(a, "context.Context")
	})
	slices.SortStableFunc(x.Results, func(a, b *kit.Variable) int { return rank(a, "error") - rank(b, "error") })
}

func rank(v *kit.Variable, typ string) int {
	if v.Raw.(types.Object).Type().String() == typ {
		return 1
	}
	return 0
}

func generic(fn *ast.FuncDecl) bool {
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}

func typeParams(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var names []string
	for _, f := range list.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Called is the function behind the one that the lines are taken from.
func (s syntax) Called(x *kit.Extraction) (kit.Function, error) {
	g := x.File.Raw.(*goFile)
	decl := enclosingFunc(g, x.Stmts[0].Raw.(ast.Node))
	_, u := s.unitOf(s.p, g)
	v := &variables{syntax: s, x: x, g: g, info: u.info, decl: decl}
	end := g.off(decl.End())
	if strings.TrimSpace(string(g.src[end:x.File.LineEnd(end)])) != "" {
		return kit.Function{}, s.declined("the function ends at line %d beside other code", g.line(end))
	}
	imported := func(path string) string { return s.useImport(g, path) }
	var params, results, locals []string
	for _, p := range x.Params {
		t, _ := v.typeText(p.Raw.(types.Object).Type(), imported)
		if p.Ref {
			t = "*" + t
		}
		params = append(params, p.Name+" "+t)
	}
	give := ""
	if x.Returns {
		results = resultTexts(g, funcType(x))
	} else if len(x.Results) > 0 {
		var names []string
		for _, r := range x.Results {
			t, _ := v.typeText(r.Raw.(types.Object).Type(), imported)
			results, names = append(results, t), append(names, r.Name)
		}
		give = "return " + strings.Join(names, ", ")
	}
	for _, l := range x.Locals {
		if !v.declaredAnew(l) {
			t, _ := v.typeText(l.Raw.(types.Object).Type(), imported)
			locals = append(locals, "\tvar "+l.Name+" "+t)
		}
	}
	head := "func " + s.headOf(x, g, decl) + "(" + strings.Join(params, ", ") + ")"
	switch {
	case len(results) == 1:
		head += " " + results[0]
	case len(results) > 1:
		head += " (" + strings.Join(results, ", ") + ")"
	}
	for path, changes := range s.edits.changes { // imports of the types
		for _, c := range changes {
			x.Job.Edits.Replace(s.kitFile(s.p.file(path)), int(c.From), int(c.To), c.Insert)
		}
	}
	return kit.Function{At: x.File.NextLine(end), Tab: "\t", Head: append([]string{head + " {"}, locals...), Give: give,
		Foot: "}", Gap: 1}, nil
}

func (s syntax) headOf(x *kit.Extraction, g *goFile, decl *ast.FuncDecl) string {
	if x.Self != "" {
		return g.text(decl.Recv) + " " + x.Name
	}
	if decl.Type.TypeParams != nil {
		return x.Name + g.text(decl.Type.TypeParams)
	}
	return x.Name
}

func resultTexts(g *goFile, t *ast.FuncType) []string {
	var out []string
	if t.Results == nil {
		return nil
	}
	for _, f := range t.Results.List {
		for range max(1, len(f.Names)) {
			out = append(out, g.text(f.Type))
		}
	}
	return out
}

// declaredAnew reports whether := at the top of the new function declares the variable, where
// it set it before.
func (v *variables) declaredAnew(l *kit.Variable) bool {
	i := slices.IndexFunc(l.Uses, v.x.Inside)
	first := l.Uses[i]
	for _, n := range v.x.Stmts {
		a, ok := n.Raw.(*ast.AssignStmt)
		if ok && n.From <= first.At && first.At < n.To {
			return a.Tok == token.DEFINE && first.Write
		}
	}
	return false
}

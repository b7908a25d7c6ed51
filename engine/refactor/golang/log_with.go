package golang

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// logging is a function that shall log: what it can name, and what it logs.
type logging struct {
	syntax
	d      *kit.Decl
	g      *goFile
	x      *unit
	fn     *ast.FuncDecl
	text   string
	values []string
	level  string    // as the request has it, "" for info
	at     token.Pos // where it logs
}

// logWith logs with the logger that the request names: a value in scope, a field of the receiver,
// or a package, each in the way of its type.
func (s syntax) logWith(d *kit.Decl, text string, values []string, with kit.Logger) (string, error) {
	l := logging{s, d, d.File.Raw.(*goFile), nil, d.Raw.(declared).decl.node.(*ast.FuncDecl), text, values, with.Level,
		token.NoPos}
	l.at = l.fn.Body.Lbrace + 1
	if _, l.x = s.unitOf(s.p, l.g); l.x == nil {
		return "", s.declined("no build includes %s", l.g.path)
	}
	if expr, t := l.value(with.Name); t != nil {
		call := l.call(expr, t)
		if call == "" {
			return "", s.declined("%s is %s in %s, which does not log%s", expr, types.TypeString(t, l.qualified), d.Title,
				l.atLevel())
		}
		return call, nil
	}
	if call := l.ofPackage(with.Name); call != "" {
		return call, nil
	}
	return "", l.missing(with.Name)
}

func (l logging) atLevel() string {
	if l.level == "" {
		return ""
	}
	return " at level " + l.level
}

func (l logging) qualified(p *types.Package) string {
	if p == l.x.pkg {
		return ""
	}
	return p.Name()
}

// receiver is the name and the type of the receiver; "" where there is none.
func (l logging) receiver() (string, types.Type) {
	if l.fn.Recv == nil || len(l.fn.Recv.List[0].Names) == 0 || l.fn.Recv.List[0].Names[0].Name == "_" {
		return "", nil
	}
	id := l.fn.Recv.List[0].Names[0]
	if o := l.x.info.Defs[id]; o != nil {
		return id.Name, o.Type()
	}
	return "", nil
}

// value is what a name stands for at the start of the function, with its type: a variable with
// fields behind it, or a field of the receiver.
func (l logging) value(name string) (string, types.Type) {
	recv, typ := l.receiver()
	parts := strings.Split(name, ".")
	if len(parts) > 1 && recv != "" && (parts[0] == "self" || parts[0] == "this") {
		parts[0] = recv
	}
	if !token.IsIdentifier(parts[0]) {
		return "", nil
	}
	if _, o := l.scope().LookupParent(parts[0], l.at); o != nil {
		if v, ok := o.(*types.Var); ok {
			return l.fields(v.Name(), v.Type(), parts[1:])
		}
		return "", nil
	}
	if recv != "" && len(parts) == 1 {
		return l.fields(recv, typ, parts)
	}
	return "", nil
}

func (l logging) scope() *types.Scope {
	if s := l.x.pkg.Scope().Innermost(l.at); s != nil {
		return s
	}
	return l.x.pkg.Scope()
}

func (l logging) fields(expr string, t types.Type, names []string) (string, types.Type) {
	for _, n := range names {
		f, _, _ := types.LookupFieldOrMethod(t, true, l.x.pkg, n)
		v, ok := f.(*types.Var)
		if !ok {
			return "", nil
		}
		expr, t = expr+"."+n, v.Type()
	}
	return expr, t
}

// call writes the statement in the way of the logger's type, "" if that is no way to log at this level.
func (l logging) call(expr string, t types.Type) string {
	level := strings.ToUpper(l.level[:min(1, len(l.level))]) + l.level[min(1, len(l.level)):]
	if level == "Warning" && !hasMethod(t, l.x.pkg, level) {
		level = "Warn"
	}
	if level == "" {
		level = "Info"
	}
	switch typeName(t) {
	case "log/slog.Logger":
		if ctx := l.context(); ctx != "" {
			return l.pairs(expr+"."+level+"Context", ctx, l.levelOf(t, level))
		}
		return l.pairs(expr+"."+level, "", l.levelOf(t, level))
	case "go.uber.org/zap.Logger":
		if !l.levelOf(t, level) {
			return ""
		}
		args := []string{strconv.Quote(l.text)}
		for _, v := range l.values {
			args = append(args, fmt.Sprintf("%s.Any(%q, %s)", l.useImport(l.g, "go.uber.org/zap"), v, v))
		}
		return expr + "." + level + "(" + strings.Join(args, ", ") + ")"
	case "github.com/rs/zerolog.Logger":
		if !l.levelOf(t, level) {
			return ""
		}
		return l.chain(expr + "." + level + "()")
	}
	return l.byMethods(expr, t, level)
}

// byMethods finds out how an unknown type logs: by pairs of names and values, or by a format.
func (l logging) byMethods(expr string, t types.Type, level string) string {
	plain := l.level == "" || l.level == "print" || l.level == "printf" || l.level == "println"
	switch {
	case !plain && !hasMethod(t, l.x.pkg, level+"f") && !hasMethod(t, l.x.pkg, level+"w"):
		return ""
	case hasMethod(t, l.x.pkg, level+"w"):
		return l.pairs(expr+"."+level+"w", "", true)
	case hasMethod(t, l.x.pkg, level+"f") && level != "Print":
		return formatCall(expr+"."+level+"f", l.text, l.values)
	case hasMethod(t, l.x.pkg, "Printf"):
		if hasMethod(t, l.x.pkg, "Print") {
			return printfLine(expr, l.text, l.values)
		}
		return formatCall(expr+".Printf", l.text, l.values)
	case hasMethod(t, l.x.pkg, "Logf"):
		return formatCall(expr+".Logf", l.text, l.values)
	}
	return ""
}

func (l logging) levelOf(t types.Type, level string) bool { return hasMethod(t, l.x.pkg, level) }

func hasMethod(t types.Type, pkg *types.Package, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, pkg, name)
	_, ok := o.(*types.Func)
	return ok
}

// typeName is the full name of a type, or of what it points to.
func typeName(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, nil)
}

// context is the parameter that is a context, "" if there is none.
func (l logging) context() (name string) {
	eachParam(l.d, func(param, typ string) {
		if typ == "context.Context" {
			name = param
		}
	})
	return name
}

// pairs is a call with a text, and each value behind its name.
func (l logging) pairs(callee, first string, known bool) string {
	if !known {
		return ""
	}
	args := []string{strconv.Quote(l.text)}
	if first != "" {
		args = []string{first, strconv.Quote(l.text)}
	}
	for _, v := range l.values {
		args = append(args, strconv.Quote(v), v)
	}
	return callee + "(" + strings.Join(args, ", ") + ")"
}

func (l logging) chain(event string) string {
	for _, v := range l.values {
		event += fmt.Sprintf(".Interface(%q, %s)", v, v)
	}
	return fmt.Sprintf("%s.Msg(%q)", event, l.text)
}

// formatCall is a call with a format and the values.
func formatCall(callee, text string, values []string) string {
	if len(values) == 0 {
		return fmt.Sprintf("%s(%q)", callee, text)
	}
	var shown []string
	for _, v := range values {
		shown = append(shown, v+"=%v")
	}
	return fmt.Sprintf("%s(%q, %s)", callee, text+": "+strings.Join(shown, " "), strings.Join(values, ", "))
}

// ofPackage logs with the functions of a package: those of the standard library are imported, the
// others have to be there. A package without such functions is asked for a value of its types.
func (l logging) ofPackage(name string) string {
	path := name
	for _, s := range l.g.ast.Imports {
		if imp := importOf(s); imp == name || l.p.localName(l.g, imp) == name {
			path = imp
		}
	}
	switch {
	case path == "slog" || path == "log/slog":
		if l.level != "" && !slices.Contains([]string{"debug", "info", "warn", "warning", "error"}, l.level) {
			return ""
		}
		slog := l.useImport(l.g, "log/slog")
		level := map[string]string{"debug": "Debug", "warn": "Warn", "warning": "Warn", "error": "Error"}[l.level]
		if level == "" {
			level = "Info"
		}
		if ctx := l.context(); ctx != "" {
			return l.pairs(slog+"."+level+"Context", ctx, true)
		}
		return l.pairs(slog+"."+level, "", true)
	case path == "log":
		if l.level != "" && !strings.HasPrefix(l.level, "print") {
			return ""
		}
		return printfLine(l.useImport(l.g, "log"), l.text, l.values)
	}
	for _, s := range l.g.ast.Imports {
		if importOf(s) == path {
			if call := l.imported(l.p.localName(l.g, path), path); call != "" {
				return call
			}
		}
	}
	return l.valueOf(path)
}

// imported logs with the functions of an imported package.
func (l logging) imported(local, path string) string {
	level := "Info"
	if l.level != "" && !strings.HasPrefix(l.level, "print") {
		level = strings.ToUpper(l.level[:1]) + l.level[1:]
	}
	switch {
	case strings.HasPrefix(path, "github.com/sirupsen/logrus"):
		return formatCall(local+"."+level+"f", l.text, l.values)
	case path == "github.com/rs/zerolog/log":
		return l.chain(local + "." + level + "()")
	}
	return ""
}

// valueOf logs with the only value in scope whose type is of a package: zap, logrus.
func (l logging) valueOf(pkg string) string {
	var found []candidate
	for _, c := range l.candidates() {
		t := strings.TrimPrefix(typeName(c.typ), "*")
		if i := strings.LastIndexByte(t, '.'); i > 0 && (t[:i] == pkg || strings.HasSuffix(t[:i], "/"+pkg)) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return l.call(found[0].expr, found[0].typ)
}

// candidate is a logger that the function can name.
type candidate struct {
	expr string
	typ  types.Type
}

// candidates are the loggers that the function can name: parameters, fields of the receiver,
// variables of the package.
func (l logging) candidates() []candidate {
	var out []candidate
	add := func(expr string, t types.Type) {
		if l.isLogger(t) {
			out = append(out, candidate{expr, t})
		}
	}
	recv, typ := l.receiver()
	if recv != "" {
		if p, ok := typ.(*types.Pointer); ok {
			typ = p.Elem()
		}
		if st, ok := typ.Underlying().(*types.Struct); ok {
			for f := range st.Fields() {
				add(recv+"."+f.Name(), f.Type())
			}
		}
	}
	seen := map[string]bool{}
	for s := l.scope(); s != nil && s != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			v, ok := s.Lookup(name).(*types.Var)
			if _, seenThere := l.scope().LookupParent(name, l.at); ok && seenThere == v && !seen[name] {
				add(name, v.Type())
			}
			seen[name] = true
		}
	}
	return out
}

// isLogger reports whether a type is made for logging.
func (l logging) isLogger(t types.Type) bool {
	switch typeName(t) {
	case "log/slog.Logger", "log.Logger", "go.uber.org/zap.Logger", "go.uber.org/zap.SugaredLogger",
		"github.com/rs/zerolog.Logger":
		return true
	}
	return hasMethod(t, l.x.pkg, "Infof") || hasMethod(t, l.x.pkg, "Infow") || hasMethod(t, l.x.pkg, "Printf")
}

// missing says which loggers there are.
func (l logging) missing(name string) error {
	d := &refactor.Declined{Understood: l.op.String()}
	d.Reason = fmt.Sprintf("%s knows no logger %s%s", l.d.Title, name, l.atLevel())
	var all []string
	for _, c := range l.candidates() {
		all = append(all, c.expr)
	}
	for _, path := range []string{"log", "log/slog"} {
		if n := l.p.localName(l.g, path); n != "" {
			all = append(all, n)
		}
	}
	if len(all) > 0 {
		d.Reason += "; it knows " + refactor.Few(all)
	}
	for _, n := range all[:min(len(all), 3)] {
		d.Nearest = append(d.Nearest, "log at entry of "+l.d.Title+" with "+n)
	}
	return d
}

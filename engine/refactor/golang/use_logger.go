package golang

import (
	"fmt"
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

// Printed implements the hook of use-logger: calls that print to standard output or standard error.
func (s syntax) Printed(f *kit.File) ([]ops.Printed, error) {
	g := f.Raw.(*goFile)
	_, x := s.unitOf(s.p, g)
	if x == nil {
		return nil, s.declined("no build includes %s", g.path)
	}
	var out []ops.Printed
	inBlocks(g.ast, func(list []ast.Stmt) {
		for _, stmt := range list {
			es, ok := stmt.(*ast.ExprStmt)
			if !ok {
				continue
			}
			c, ok := s.printed(g, x, es)
			if !ok {
				continue
			}
			p := ops.Printed{Node: f.Of(es.X), Callee: oneLine(g.text(c.call.Fun)), Level: c.level(), Keep: c.keep(), Raw: c}
			for _, a := range c.args {
				p.Texts = append(p.Texts, literalText(a))
			}
			out = append(out, p)
		}
	})
	slices.SortFunc(out, func(a, b ops.Printed) int { return a.Node.From - b.Node.From })
	return out, nil
}

// printCall is a call that prints: Print, Printf or Println, to one of the standard streams.
type printCall struct {
	g      *goFile
	x      *unit
	stmt   *ast.ExprStmt
	call   *ast.CallExpr
	how    string // Print, Printf, Println
	args   []ast.Expr
	stderr bool
}

func (s syntax) printed(g *goFile, x *unit, es *ast.ExprStmt) (printCall, bool) {
	c := printCall{g: g, x: x, stmt: es}
	c.call, _ = es.X.(*ast.CallExpr)
	if c.call == nil {
		return c, false
	}
	c.args = c.call.Args
	if isPrint(x.info, es) {
		if id, ok := ast.Unparen(c.call.Fun).(*ast.Ident); ok {
			c.how, c.stderr = map[string]string{"print": "Print", "println": "Println"}[id.Name], true
		} else {
			c.how = ast.Unparen(c.call.Fun).(*ast.SelectorExpr).Sel.Name
		}
		return c, true
	}
	fn, ok := calleeFunc(x.info, c.call)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || !strings.HasPrefix(fn.Name(), "Fprint") || len(c.args) == 0 {
		return c, false
	}
	out, ok := ast.Unparen(c.args[0]).(*ast.SelectorExpr)
	if !ok {
		return c, false
	}
	v, ok := x.info.Uses[out.Sel].(*types.Var)
	if !ok || v.Pkg() == nil || v.Pkg().Path() != "os" || v.Name() != "Stderr" && v.Name() != "Stdout" {
		return c, false
	}
	c.how, c.stderr, c.args = "P"+strings.TrimPrefix(fn.Name(), "Fp"), v.Name() == "Stderr", c.args[1:]
	return c, true
}

func calleeFunc(info *types.Info, call *ast.CallExpr) (*types.Func, bool) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	return fn, ok
}

// keep says why a print can be no log message, or "".
func (c printCall) keep() string {
	switch {
	case isExample(c.g, c.stmt):
		return "it is the output of an example"
	case len(c.args) == 0:
		return "it prints an empty line"
	case c.call.Ellipsis.IsValid():
		return "how many values it prints is not known"
	case c.how == "Println" || c.stderr && c.how == "Print":
		return ""
	case c.how == "Printf":
		if f := literalText(c.args[0]); f == "" {
			return "its format is not known"
		} else if !strings.HasSuffix(f, "\n") || strings.Contains(strings.TrimSuffix(f, "\n"), "\n") {
			return "it prints a part of a line, or several"
		}
	case c.how == "Print":
		if t := literalText(c.args[len(c.args)-1]); !strings.HasSuffix(t, "\n") {
			return "it prints a part of a line"
		}
	}
	return ""
}

var (
	goRetry = regexp.MustCompile(`(?i)\b(retry(ing)?|warn(ing)?|skip(s|ped|ping)?|ignor(e|ed|ing))\b`)
	goDebug = regexp.MustCompile(`^\W*(DEBUG|debug|dbg|DBG)\b`)
)

func (c printCall) level() string {
	says, tells := "", c.stderr
	for _, a := range c.args {
		says += literalText(a) + " "
		t := c.x.info.TypeOf(a)
		tells = tells || t != nil && isError(t)
	}
	switch {
	case goDebug.MatchString(says):
		return "debug"
	case tells && goRetry.MatchString(says):
		return "warning"
	case tells:
		return "error"
	}
	return "info"
}

// Logged implements the hook of use-logger.
func (s syntax) Logged(f *kit.File, p ops.Printed, with kit.Logger) (string, error) {
	c := p.Raw.(printCall)
	l, err := s.loggingAt(c.g, c.x, c.call, with)
	if err != nil {
		return "", err
	}
	w, err := l.writer(with.Name)
	if err != nil {
		return "", err
	}
	return w.message(c), nil
}

// loggingAt is the logging of the function around a node.
func (s syntax) loggingAt(g *goFile, x *unit, at ast.Node, with kit.Logger) (logging, error) {
	fn := enclosingFunc(g, at)
	if fn == nil || fn.Body == nil {
		return logging{}, s.declined("%s:%d is in no function", g.path, g.lineOf(at.Pos()))
	}
	return logging{syntax: s, d: nil, g: g, x: x, fn: fn, level: with.Level, at: at.Pos()}, nil
}

// logWriter writes log messages in the way of one logger.
type logWriter struct {
	logging
	expr string
	kind logKind
}

// logKind is how a logger is called.
type logKind int

// The kinds of loggers.
const (
	printLog  logKind = iota // Print, Printf, Println: package log and its like
	slogLog                  // a text, then names and values
	formatLog                // Infof and its like
	chainLog                 // zerolog
	zapLog                   // a text, then fields
	testLog                  // Log and Logf
)

// writer finds the logger: the one that is named, else the one that is used nearby, else that of the package,
// else of the project, else package log.
func (l logging) writer(name string) (logWriter, error) {
	if name != "" {
		if expr, t := l.value(name); t != nil {
			if k, ok := l.kindOf(t); ok {
				return logWriter{l, expr, k}, nil
			}
			return logWriter{}, l.declined("%s is %s, which does not log", expr, types.TypeString(t, l.qualified))
		}
		if w, ok := l.packageWriter(name); ok {
			return w, nil
		}
		if !slices.Contains([]string{"logger", "log"}, strings.ToLower(name)) {
			return logWriter{}, l.declined("nothing at %s:%d is a logger called %s", l.g.path, l.g.lineOf(l.at), name)
		}
	}
	if w, ok := l.around(); ok {
		return w, nil
	}
	for _, path := range l.packagesNear() {
		if w, ok := l.packageWriter(path); ok {
			return w, nil
		}
	}
	w, _ := l.packageWriter("log")
	return w, nil
}

// around is a logger that the function can name.
func (l logging) around() (logWriter, bool) {
	for _, c := range l.candidates() {
		if k, ok := l.kindOf(c.typ); ok && loggerVar.MatchString(c.expr[strings.LastIndexByte(c.expr, '.')+1:]) {
			return logWriter{l, c.expr, k}, true
		}
	}
	return logWriter{}, false
}

var loggerVar = regexp.MustCompile(`(?i)^(\w*log(ger)?|l)$`)

// kindOf is how a value of a type logs; ok is false where it does not.
func (l logging) kindOf(t types.Type) (logKind, bool) {
	switch typeName(t) {
	case "log/slog.Logger":
		return slogLog, true
	case "log.Logger":
		return printLog, true
	case "go.uber.org/zap.Logger":
		return zapLog, true
	case "github.com/rs/zerolog.Logger":
		return chainLog, true
	}
	has := func(m string) bool { return hasMethod(t, l.x.pkg, m) }
	switch {
	case has("Infof") && has("Errorf"):
		return formatLog, true
	case has("Printf") && has("Println"):
		return printLog, true
	case has("Logf") && has("Log"):
		return testLog, true
	}
	return 0, false
}

var logPackages = map[string]logKind{"log": printLog, "log/slog": slogLog, "github.com/sirupsen/logrus": formatLog,
	"github.com/rs/zerolog/log": chainLog, "github.com/golang/glog": formatLog, "k8s.io/klog/v2": formatLog}

// packageWriter logs with the functions of a package: one of the standard library, or one that the file imports.
func (l logging) packageWriter(name string) (logWriter, bool) {
	path := name
	if name == "slog" {
		path = "log/slog"
	}
	for p := range logPackages {
		if n := l.p.localName(l.g, p); n != "" && (n == name || p == path) {
			return l.of(p, n)
		}
	}
	if path == "log" || path == "log/slog" {
		return l.of(path, "")
	}
	return logWriter{}, false
}

func (l logging) of(path, local string) (logWriter, bool) {
	if local == "" {
		local = path[strings.LastIndexByte(path, '/')+1:]
	}
	if _, o := l.scope().LookupParent(local, l.at); o != nil {
		if _, ok := o.(*types.PkgName); !ok {
			return logWriter{}, false
		}
	}
	return logWriter{l, l.useImport(l.g, path), logPackages[path]}, true
}

// packagesNear are the packages that log in this file, or else in the most files of the project.
func (l logging) packagesNear() []string {
	var here []string
	for p := range logPackages {
		if l.p.localName(l.g, p) != "" {
			here = append(here, p)
		}
	}
	if slices.Sort(here); len(here) > 0 {
		return here
	}
	best, most := "", 0
	for _, path := range []string{"log", "log/slog"} {
		n := 0
		for _, f := range l.p.files(l.p.mentioning(path[strings.LastIndexByte(path, '/')+1:])) {
			if !f.test && l.p.localName(f, path) != "" {
				if n++; f.dir == l.g.dir {
					n += 100
				}
			}
		}
		if n > most {
			best, most = path, n
		}
	}
	if best == "" {
		return nil
	}
	return []string{best}
}

// message is the call that logs what a print prints.
func (w logWriter) message(c printCall) string {
	var args []string
	for _, a := range c.args {
		args = append(args, w.g.text(a))
	}
	last := len(args) - 1
	if c.how == "Print" || c.how == "Printf" { // a log message ends its line itself
		at := last
		if c.how == "Printf" {
			at = 0
		}
		if lit, ok := c.args[at].(*ast.BasicLit); ok && strings.HasSuffix(lit.Value, `\n"`) {
			args[at] = strings.TrimSuffix(lit.Value, `\n"`) + `"`
		}
	}
	all := strings.Join(args, ", ")
	switch w.kind {
	case printLog:
		if c.how == "Printf" && len(args) == 1 && !strings.Contains(args[0], "%") {
			return w.expr + ".Print(" + all + ")"
		}
		return w.expr + "." + c.how + "(" + all + ")"
	case testLog:
		return w.expr + map[bool]string{true: ".Logf(", false: ".Log("}[c.how == "Printf"] + all + ")"
	case formatLog, chainLog:
		format, values := w.format(c, args)
		list := strings.Join(append([]string{format}, values...), ", ")
		if w.kind == chainLog {
			return w.expr + "." + w.levelName("Warn") + "().Msgf(" + list + ")"
		}
		return w.expr + "." + w.levelName("Warn") + "f(" + list + ")"
	}
	return w.texts(c, args)
}

func (w logWriter) levelName(warn string) string {
	switch w.level {
	case "debug", "trace":
		return "Debug"
	case "warn", "warning":
		return warn
	case "error", "severe":
		return "Error"
	}
	return "Info"
}

// format is what a print prints as a format and its values.
func (w logWriter) format(c printCall, args []string) (string, []string) {
	if c.how == "Printf" {
		return args[0], args[1:]
	}
	var parts, values []string
	for i, a := range c.args {
		if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasPrefix(args[i], `"`) {
			parts = append(parts, strings.ReplaceAll(strings.Trim(args[i], `"`), "%", "%%"))
			continue
		}
		parts, values = append(parts, "%v"), append(values, args[i])
	}
	sep := " "
	if c.how == "Print" {
		sep = ""
	}
	return `"` + strings.Join(parts, sep) + `"`, values
}

// texts logs with a logger that takes a text, and names before values.
func (w logWriter) texts(c printCall, args []string) string {
	callee := w.expr + "." + w.levelName("Warn")
	if _, ok := c.args[0].(*ast.BasicLit); ok && c.how == "Println" && w.kind == slogLog {
		if pairs := w.pairsOf(c, args); pairs != "" {
			return callee + "(" + pairs + ")"
		}
	}
	if t := w.x.info.TypeOf(c.args[0]); len(args) == 1 && c.how != "Printf" && t != nil && types.Identical(t.Underlying(),
		types.Typ[types.String]) {
		return callee + "(" + args[0] + ")"
	}
	format, values := w.format(c, args)
	if len(values) == 0 {
		return callee + "(" + strings.ReplaceAll(format, "%%", "%") + ")"
	}
	return callee + "(" + w.useImport(w.g, "fmt") + ".Sprintf(" +
		strings.Join(append([]string{format}, values...), ", ") + "))"
}

// pairsOf are a text and each value under its own name, or "" where a value has none.
func (w logWriter) pairsOf(c printCall, args []string) string {
	out := []string{strconv.Quote(strings.TrimRight(literalText(c.args[0]), ":= "))}
	for i, a := range c.args[1:] {
		name := ""
		switch a := a.(type) {
		case *ast.Ident:
			name = a.Name
		case *ast.SelectorExpr:
			name = strings.ToLower(a.Sel.Name[:1]) + a.Sel.Name[1:]
			if strings.ToUpper(a.Sel.Name) == a.Sel.Name {
				name = strings.ToLower(a.Sel.Name)
			}
		}
		if name == "" {
			return ""
		}
		out = append(out, strconv.Quote(name), args[i+1])
	}
	return strings.Join(out, ", ")
}

// failure is the call that logs an error err with what failed before it, in the way of the logger.
func (w logWriter) failure(failed string) string {
	switch w.kind {
	case printLog:
		return fmt.Sprintf("%s.Printf(%q, err)", w.expr, failed+": %v")
	case testLog:
		return fmt.Sprintf("%s.Logf(%q, err)", w.expr, failed+": %v")
	case formatLog:
		return fmt.Sprintf("%s.Errorf(%q, err)", w.expr, failed+": %v")
	case chainLog:
		return fmt.Sprintf("%s.Error().Err(err).Msg(%q)", w.expr, failed)
	case zapLog:
		return fmt.Sprintf("%s.Error(%q, %s.Error(err))", w.expr, failed, w.useImport(w.g, "go.uber.org/zap"))
	}
	key := "err"
	if strings.Contains(string(w.g.src), `"error", err`) {
		key = "error"
	}
	return fmt.Sprintf("%s.Error(%q, %q, err)", w.expr, failed, key)
}

package golang

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

// logEntry logs the call and its parameters as the function's first statement,
// with the logger that the file uses: log/slog unless it uses log.
func (j *job) logEntry() error {
	s, err := j.symbol("func", "func method")
	if err != nil {
		return err
	}
	for _, d := range s.decls {
		fn, ok := d.node.(*ast.FuncDecl)
		if !ok || d.local || fn.Body == nil {
			return j.declined("%s has no body to log from", s)
		}
		stmt := j.logStatement(d, fn)
		j.prependStatement(d.file, fn.Body, stmt)
	}
	j.summary = fmt.Sprintf("%s logs its calls.", s.first().name.Name)
	return j.settle()
}

func (j *job) logStatement(d *decl, fn *ast.FuncDecl) string {
	g := d.file
	name := d.name.Name
	if d.owner != "" {
		name = d.owner + "." + name
	}
	var ps []string
	ctx := ""
	for _, f := range fn.Type.Params.List {
		for _, n := range f.Names {
			switch {
			case n.Name == "_":
			case oneLine(g.text(f.Type)) == "context.Context":
				ctx = n.Name
			default:
				ps = append(ps, n.Name)
				j.noteSecret(n.Name)
			}
		}
	}
	if j.p.localName(g, "log/slog") == "" && j.p.localName(g, "log") != "" {
		return printfLine(j.p.localName(g, "log"), name, ps)
	}
	call := j.useImport(g, "log/slog") + ".Info("
	if ctx != "" {
		call = j.useImport(g, "log/slog") + ".InfoContext(" + ctx + ", "
	}
	args := []string{strconv.Quote(name)}
	for _, p := range ps {
		args = append(args, strconv.Quote(p), p)
	}
	return call + strings.Join(args, ", ") + ")"
}

func printfLine(log, name string, ps []string) string {
	if len(ps) == 0 {
		return fmt.Sprintf("%s.Print(%q)", log, name)
	}
	format := name + ":"
	for _, p := range ps {
		format += " " + p + "=%v"
	}
	return fmt.Sprintf("%s.Printf(%q, %s)", log, format, strings.Join(ps, ", "))
}

func (j *job) noteSecret(param string) {
	for _, w := range words(param) {
		switch strings.ToLower(w) {
		case "password", "passwd", "secret", "token", "credential", "credentials", "apikey":
			j.note("%s is logged as it is; it looks like a secret.", param)
		}
	}
}

// prependStatement puts a statement first in a body, which may be on one line.
func (j *job) prependStatement(g *goFile, body *ast.BlockStmt, stmt string) {
	open, closing := g.off(body.Lbrace), g.off(body.Rbrace)
	ind := g.indent(open)
	if g.line(open) != g.line(closing) && blankToEOL(g, open+1) {
		j.insertLines(g, g.lineEnd(open), ind+"\t"+stmt+"\n")
		return
	}
	inner := strings.TrimSpace(string(g.src[open+1 : closing]))
	if inner != "" {
		inner = ind + "\t" + inner + "\n"
	}
	j.replaceLines(g, open+1, closing, "\n"+ind+"\t"+stmt+"\n"+inner+ind)
}

func blankToEOL(g *goFile, at int) bool {
	return strings.TrimSpace(string(g.src[at:g.lineEnd(at)])) == ""
}

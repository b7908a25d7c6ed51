package golang

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"waferpair/engine/refactor/kit"
)

// Values implements the hook of log-entry.
func (s syntax) Values(d *kit.Decl) []string {
	var out []string
	eachParam(d, func(name, typ string) {
		if typ != "context.Context" {
			out = append(out, name)
		}
	})
	return out
}

// Log implements the hook of log-entry: log/slog is used unless the file uses log.
func (s syntax) Log(d *kit.Decl, text string, values []string, with kit.Logger) (string, error) {
	fn, ok := d.Raw.(declared).decl.node.(*ast.FuncDecl)
	if !ok || fn.Body == nil {
		return "", s.declined("%s has no body to log from", d.Title)
	}
	if with.Name != "" {
		return s.logWith(d, text, values, with)
	}
	g := d.File.Raw.(*goFile)
	if log := s.p.localName(g, "log"); log != "" && s.p.localName(g, "log/slog") == "" {
		return printfLine(log, text, values), nil
	}
	call := s.useImport(g, "log/slog") + ".Info("
	eachParam(d, func(name, typ string) {
		if typ == "context.Context" {
			call = s.useImport(g, "log/slog") + ".InfoContext(" + name + ", "
		}
	})
	args := []string{strconv.Quote(text)}
	for _, v := range values {
		args = append(args, strconv.Quote(v), v)
	}
	return call + strings.Join(args, ", ") + ")", nil
}

// eachParam visits the parameters that have names, with their types as written.
func eachParam(d *kit.Decl, visit func(name, typ string)) {
	fn, ok := d.Raw.(declared).decl.node.(*ast.FuncDecl)
	if !ok {
		return
	}
	for _, f := range fn.Type.Params.List {
		for _, n := range f.Names {
			if n.Name != "_" {
				visit(n.Name, oneLine(d.File.Raw.(*goFile).text(f.Type)))
			}
		}
	}
}

func printfLine(log, name string, ps []string) string {
	if len(ps) == 0 {
		return fmt.Sprintf("%s.Print(%q)", log, name)
	}
	return formatCall(log+".Printf", name, ps)
}

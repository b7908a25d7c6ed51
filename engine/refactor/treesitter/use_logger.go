package treesitter

import (
	"path"
	"regexp"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// printLogs is what a dialect implements whose prints can become calls of a logger.
type printLogs interface {
	// printing tells of a call whether it prints; Keep says why it can be no log message.
	printing(j *job, u *unit, call *node) (ops.Printed, bool)
	// logged is the call that logs what it prints.
	logged(j *job, u *unit, call *node, with kit.Logger) (string, error)
}

// Printed implements the hook of use-logger.
func (s syntax) Printed(f *kit.File) ([]ops.Printed, error) {
	u := f.Raw.(*unit)
	var out []ops.Printed
	u.root.walk(func(n *node) bool {
		if n.is("call", "call_expression", "method_invocation") {
			if p, ok := s.d.(printLogs).printing(s.job, u, n); ok {
				p.Node, p.Raw = f.Of(n), n
				if s.isLogger(u, n) {
					p.Keep = "it is what the logger itself prints"
				}
				out = append(out, p)
				return false
			}
		}
		return true
	})
	return out, nil
}

// Logged implements the hook of use-logger.
func (s syntax) Logged(f *kit.File, p ops.Printed, with kit.Logger) (string, error) {
	return s.d.(printLogs).logged(s.job, f.Raw.(*unit), p.Raw.(*node), with)
}

var (
	loggerFile = regexp.MustCompile(`(?i)^(logger|log|logging|logs)$`)
	logsItself = regexp.MustCompile(`(?i)^_?(log|logger|\w*logger|debug|info|warn|warning|error)$`)
)

// isLogger reports whether a call stands in the code of a logger: in a function or a class that is called so, or
// in a file of that name.
func (s syntax) isLogger(u *unit, call *node) bool {
	name := path.Base(u.path)
	name, _, _ = strings.Cut(name, ".")
	if loggerFile.MatchString(name) {
		return true
	}
	for p := call.parent; p != nil; p = p.parent {
		named := p.get("name")
		if p.is("class_definition", "class_declaration") && loggerName.MatchString(named.text()) {
			return true
		}
		if isFunction(p) && p.is("function_definition", "function_declaration") && logsItself.MatchString(named.text()) {
			return true
		}
	}
	return false
}

// levelOf is how important what a call prints is: an error where it prints one, or prints to standard error
// where one is handled.
func printLevel(call *node, texts []string, args []*node, stderr bool) string {
	handler := call.up("except_clause", "catch_clause", "function_definition", "function_declaration",
		"method_definition", "method_declaration", "class_body")
	caught := handler.is("except_clause", "catch_clause")
	tells := stderr
	for _, a := range args {
		a.walk(func(n *node) bool {
			tells = tells || n.is("identifier") && refactor.ErrorName(n.text())
			return !tells
		})
	}
	switch {
	case logsDebug(texts):
		return "debug"
	case caught && (tells || stderr) && again.MatchString(strings.Join(texts, " ")):
		return "warning"
	case caught && tells || stderr:
		return "error"
	}
	return "info"
}

var (
	again = regexp.MustCompile(
		`(?i)\b(retry(ing)?|retries|try(ing)? again|warn(ing)?|skip(s|ped|ping)?|ignor(e|ed|ing)|fall(ing)? back)\b`)
	debugText = regexp.MustCompile(`^\W*(DEBUG|debug|dbg|DBG)\b`)
)

func logsDebug(texts []string) bool { return len(texts) > 0 && debugText.MatchString(texts[0]) }

// classAround is the class of the method that a node is in, whose object the method calls recv.
func (u *unit) classAround(n *node) (c *class, recv string, method *node) {
	for p := n.parent; p != nil; p = p.parent {
		if p.is("class_definition", "class_declaration", "class") {
			return nil, "", nil
		}
		if p.is("function_definition") && p.parent.is("block") || p.parent.is("decorated_definition") {
			at := p.parent
			if at.is("decorated_definition") {
				at = at.parent
			}
			if at.parent.is("class_definition") {
				first := p.get("parameters").firstKid()
				if !first.is("identifier") {
					return nil, "", nil
				}
				return u.classAt(at.parent), first.text(), p
			}
		}
	}
	return nil, "", nil
}

// scopeAt is the scope of the function, or of the module, that a node is in. Of a call of a name it is that of the
// name itself.
func (u *unit) scopeAt(n *node) *scope {
	for fn := n.get("function"); fn != nil; fn = fn.firstKid() {
		if r := u.byNode[fn]; r != nil {
			return r.scope
		}
	}
	for p := n; p != nil; p = p.parent {
		if s := u.scopes[p]; s != nil {
			return s
		}
	}
	return u.module
}

package treesitter

import (
	"maps"
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/ops"
)

// printing: System.out.println(...) and its like, and e.printStackTrace(), as statements.
func (javaDialect) printing(j *job, u *unit, call *node) (ops.Printed, bool) {
	if !call.is("method_invocation") || !javaPrints(call) || !call.parent.is("expression_statement") {
		return ops.Printed{}, false
	}
	object, name, args := call.get("object").text(), call.get("name").text(), call.get("arguments").list()
	p := ops.Printed{Callee: object + "." + name, Level: "error"}
	if name == "printStackTrace" || name == "dumpStack" {
		if e := call.get("object"); name == "dumpStack" || !e.is("identifier") {
			p.Keep = "it prints where the program is, no error that has a name"
		}
		return p, true
	}
	call.get("arguments").walk(func(k *node) bool {
		if k.is("string_fragment") {
			p.Texts = append(p.Texts, k.text())
		}
		return true
	})
	p.Level = printLevel(call, p.Texts, args, object == "System.err")
	switch {
	case len(args) == 0:
		p.Keep = "it prints an empty line"
	case name == "print":
		p.Keep = "it prints a part of a line"
	case name == "printf" && (!args[0].is("string_literal") || javaLine(args[0]) == ""):
		p.Keep = "it prints a part of a line, or what its format says"
	}
	return p, true
}

// javaLine is a format for one line without the line break at its end, "" where it is no such format.
func javaLine(format *node) string {
	text := format.text()
	for _, end := range []string{`%n"`, `\n"`} {
		if s, ok := strings.CutSuffix(text, end); ok && !strings.Contains(s, "%n") && !strings.Contains(s, `\n`) &&
			!strings.HasPrefix(s, `"""`) {
			return s + `"`
		}
	}
	return ""
}

func (d javaDialect) logged(j *job, u *unit, call *node, with kit.Logger) (string, error) {
	f := (&tried{job: j, u: u}).around(call)
	if f == nil || f.class == nil {
		return "", j.decline("%s is in no method of a class", spot(u, call))
	}
	l, err := d.loggerAt(j, f, with, call.get("name").text() == "printStackTrace")
	if err != nil {
		return "", err
	}
	name, args := call.get("name").text(), call.get("arguments").list()
	if name == "printStackTrace" {
		e := &tried{job: j, u: u, f: f}
		line, err := e.javaError(l, f.title()+" failed", call.get("object").text())
		return strings.TrimSuffix(line, ";"), err
	}
	message := args[0].text()
	switch {
	case name == "printf" && len(args) == 1:
		if strings.Contains(message, "%") {
			return "", j.decline("%s has a format", spot(u, call))
		}
		message = javaLine(args[0])
	case name == "printf":
		var values []string
		for _, a := range args[1:] {
			values = append(values, a.text())
		}
		message = "String.format(" + javaLine(args[0]) + ", " + strings.Join(values, ", ") + ")"
	case !javaIsText(args[0]):
		message = "String.valueOf(" + message + ")"
	}
	level := with.Level
	if l.lib == "java.util.logging.Logger" {
		if level = platformLevels[level]; level == "" {
			return "", j.decline("%s does not log at level %s", l.expr, with.Level)
		}
		return l.expr + "." + level + "(" + message + ")", nil
	}
	if level == "warning" {
		level = "warn"
	}
	if !has([]string{"trace", "debug", "info", "warn", "error"}, level) {
		return "", j.decline("%s does not log at level %s", l.expr, level)
	}
	if l.lib == "java.lang.System.Logger" {
		if level == "warn" {
			level = "warning"
		}
		return l.expr + ".log(System.Logger.Level." + strings.ToUpper(level) + ", " + message + ")", nil
	}
	return l.expr + "." + level + "(" + message + ")", nil
}

// javaIsText reports whether a value is certainly a String.
func javaIsText(n *node) bool {
	switch {
	case n.is("string_literal"):
		return true
	case n.is("parenthesized_expression"):
		return javaIsText(n.firstKid())
	case n.is("binary_expression"):
		return n.get("operator").text() == "+" && (javaIsText(n.get("left")) || javaIsText(n.get("right")))
	case n.is("method_invocation"):
		name := n.get("name").text()
		return n.get("object").text() == "String" && has([]string{"format", "valueOf", "join"}, name) ||
			has([]string{"toString", "getMessage", "formatted", "getName"}, name) && len(n.get("arguments").list()) == 0
	}
	return false
}

// loggerAt is the logger that a method can name: the one that is asked for, or its class's, or a new one of the
// platform, where the project logs with no other.
func (d javaDialect) loggerAt(j *job, f *function, with kit.Logger, stack bool) (javaLogger, error) {
	all := j.loggersOf(f)
	names := slices.Sorted(maps.Keys(all))
	want := strings.TrimPrefix(strings.TrimPrefix(with.Name, "this."), f.class.title()+".")
	if l, ok := all[want]; ok {
		return l, nil
	}
	for _, n := range names {
		if with.Name == "" || loggerName.MatchString(with.Name) || has(javaLibraries[all[n].lib], with.Name) {
			return all[n], nil
		}
	}
	platform := has(javaLibraries["java.util.logging.Logger"], with.Name)
	if with.Name != "" && !platform && !loggerName.MatchString(with.Name) {
		return javaLogger{}, j.decline("%s knows no logger %s", f.title(), with.Name)
	}
	units, err := j.p.mentioning(j.ctx, "Logger")
	if err != nil {
		return javaLogger{}, err
	}
	for _, u := range units {
		for _, o := range u.imports {
			if lib := javaLibraries[o.full]; lib != nil && o.full != "java.util.logging.Logger" && !platform {
				return javaLogger{}, j.decline("%s has no logger, and the project logs with %s; give the class one first",
					f.class.title(), lib[0])
			}
		}
	}
	var also []string
	if stack { // which is logged at a level that the call names
		also = []string{"Level"}
	}
	return javaLogger{"LOGGER", "java.util.logging.Logger"}, j.newJavaLogger(f, also...)
}

package treesitter

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// javaLogger is a logger that a method can name.
type javaLogger struct{ expr, lib string }

// javaLibraries are the types that log, by the names under which requests know them.
var javaLibraries = map[string][]string{
	"org.slf4j.Logger":                {"slf4j", "org.slf4j"},
	"org.apache.logging.log4j.Logger": {"log4j", "log4j2", "org.apache.logging.log4j"},
	"org.apache.log4j.Logger":         {"log4j", "org.apache.log4j"},
	"java.util.logging.Logger":        {"java.util.logging", "jul", "java.util.logging.Logger"},
	"java.lang.System.Logger":         {"System.Logger"},
	"org.apache.commons.logging.Log":  {"commons-logging", "org.apache.commons.logging"},
}

// javaAnnotations are those of Lombok that give a class the field log.
var javaAnnotations = map[string]string{"Slf4j": "org.slf4j.Logger", "Log4j2": "org.apache.logging.log4j.Logger",
	"Log": "java.util.logging.Logger", "CommonsLog": "org.apache.commons.logging.Log"}

// loggerType is the library of a type that logs, "" of any other.
func loggerType(u *unit, t string) string {
	if t == "System.Logger" {
		return "java.lang.System.Logger"
	}
	if full := libraryOf(u, t); javaLibraries[full] != nil {
		return full
	}
	return ""
}

// loggersOf are the loggers that a method can name, by their names: its parameters, and the
// fields of its class and of the classes above.
func (j *job) loggersOf(f *function) map[string]javaLogger {
	out := map[string]javaLogger{}
	static := javaHas(f.def, "static")
	params := f.unit.scopes[f.fn].names
	for i, c := range j.p.ancestry(f.class) {
		for a := range c.def.child("modifiers").kids {
			if lib := javaAnnotations[a.get("name").text()]; i == 0 && lib != "" && params["log"] == nil {
				out["log"] = javaLogger{"log", lib}
			}
		}
		for name, ms := range c.members {
			field := ms[0].def.parent
			if !field.is("field_declaration") || static && !ms[0].static || i > 0 && javaHas(field, "private") ||
				out[name].expr != "" {
				continue
			}
			lib := loggerType(c.unit, field.get("type").text())
			switch {
			case lib == "":
			case params[name] == nil && f.declaredWithin(name) == nil:
				out[name] = javaLogger{name, lib}
			case ms[0].static:
				out[name] = javaLogger{c.title() + "." + name, lib}
			default:
				out[name] = javaLogger{"this." + name, lib}
			}
		}
	}
	for name, b := range params {
		if lib := loggerType(f.unit, b.def().get("type").text()); lib != "" {
			out[name] = javaLogger{name, lib}
		}
	}
	return out
}

// log uses the class's logger, in the way of its library, else standard output.
func (d javaDialect) log(j *job, f *function, text string, values []string) (string, error) {
	all := j.loggersOf(f)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f.unit.scopes[f.fn].names[name] == nil {
			return all[name].call("debug", text, values), nil
		}
	}
	return d.printed(j, f, text, values)
}

func (javaDialect) printed(j *job, f *function, text string, values []string) (string, error) {
	if r := f.unit.scopes[f.fn].lookup("System", both); r != nil || j.p.topType(f.unit.pkg, "System") != nil {
		return "", j.decline("System means something else in %s", f.name)
	}
	return "System.out.println(" + javaJoined(text, values) + ");", nil
}

// logWith logs with the logger that the request names: by its name, or by its library.
func (d javaDialect) logWith(j *job, f *function, text string, values []string, with kit.Logger) (string, error) {
	if with.Name == "System.out" {
		return d.printed(j, f, text, values)
	}
	level := with.Level
	if level == "" {
		level = "debug"
	}
	all := j.loggersOf(f)
	name := strings.TrimPrefix(strings.TrimPrefix(with.Name, "this."), f.class.title()+".")
	if l, ok := all[name]; ok {
		if call := l.call(level, text, values); call != "" {
			return call, nil
		}
		return "", j.decline("%s does not log at level %s", name, level)
	}
	names := slices.Sorted(maps.Keys(all))
	for _, n := range names {
		if has(javaLibraries[all[n].lib], with.Name) {
			return all[n].call(level, text, values), nil
		}
	}
	if has(javaLibraries["java.util.logging.Logger"], with.Name) && len(names) == 0 {
		return javaLogger{"LOGGER", "java.util.logging.Logger"}.call(level, text, values), j.newJavaLogger(f)
	}
	err := &refactor.Declined{Understood: j.op.String(), Reason: f.title() + " knows no logger " + with.Name}
	if len(names) > 0 {
		err.Reason += "; it knows " + refactor.Few(names)
	}
	for _, n := range names[:min(len(names), 3)] {
		err.Nearest = append(err.Nearest, "log at entry of "+f.title()+" with "+n)
	}
	return "", err
}

// newJavaLogger gives the class a logger of the platform, with what else of its package is needed.
func (j *job) newJavaLogger(f *function, also ...string) error {
	const name = "LOGGER"
	c := f.class
	key := "logger of " + c.title()
	if j.p.extra[key] != nil {
		return nil // it has got one
	}
	j.p.extra[key] = true
	if c.iface || c.def.is("object_creation_expression", "enum_constant") || len(c.members[name]) > 0 ||
		f.unit.scopes[f.fn].names[name] != nil {
		return j.decline("%s cannot have a logger of its own", c.title())
	}
	var lines []string
	for _, t := range append(also, "Logger") {
		j.p.extra["import java.util.logging."+t] = true
		line, err := j.importLineOf(f.unit, "java.util.logging."+t, false)
		if d := (*refactor.Declined)(nil); errors.As(err, &d) && d.Code == refactor.Already {
			continue
		}
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		j.insertImport(f.unit, strings.Join(lines, f.unit.style().eol), false)
	}
	return j.putField(c, "private static final Logger "+name+" = Logger.getLogger("+c.title()+".class.getName());")
}

// platformLevels are the levels of java.util.logging.
var platformLevels = map[string]string{"trace": "finer", "debug": "fine", "info": "info", "warn": "warning",
	"warning": "warning", "error": "severe", "severe": "severe", "fine": "fine", "finer": "finer", "finest": "finest",
	"config": "config"}

// call is a statement in the way of the logger's library, "" if that has no such level.
func (l javaLogger) call(level, text string, values []string) string {
	if l.lib == "java.util.logging.Logger" {
		if level = platformLevels[level]; level == "" {
			return ""
		}
		return l.expr + "." + level + "(" + javaJoined(text, values) + ");"
	}
	if level == "warning" {
		level = "warn"
	}
	if !has([]string{"trace", "debug", "info", "warn", "error"}, level) {
		return ""
	}
	switch l.lib {
	case "org.slf4j.Logger", "org.apache.logging.log4j.Logger":
		holes := make([]string, len(values))
		for i, v := range values {
			holes[i] = v + "={}"
		}
		if len(values) > 0 {
			text += ": " + strings.Join(holes, ", ")
		}
		return l.expr + "." + level + "(" + strings.Join(append([]string{`"` + text + `"`}, values...), ", ") + ");"
	case "java.lang.System.Logger":
		if level == "warn" {
			level = "warning"
		}
		return l.expr + ".log(System.Logger.Level." + strings.ToUpper(level) + ", " + javaJoined(text, values) + ");"
	}
	return l.expr + "." + level + "(" + javaJoined(text, values) + ");"
}

// javaJoined is a text with the values behind their names.
func javaJoined(text string, values []string) string {
	if len(values) == 0 {
		return `"` + text + `"`
	}
	var shown []string
	for _, v := range values {
		shown = append(shown, v+`=" + `+v)
	}
	return `"` + text + ": " + strings.Join(shown, ` + ", `)
}

// libraryOf is the full name of an imported type, or the name itself.
func libraryOf(u *unit, name string) string {
	for _, o := range u.imports {
		if o.name == name {
			return o.full
		}
	}
	return name
}

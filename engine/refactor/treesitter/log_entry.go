package treesitter

import (
	"strings"

	"waferpair/engine/refactor/kit"
)

// Values implements the hook of log-entry.
func (s syntax) Values(d *kit.Decl) []string { return plainParams(s.functionOf(d)) }

// logs is what a dialect implements that has a way to log.
type logs interface {
	log(j *job, f *function, text string, values []string) (string, error)
	logWith(j *job, f *function, text string, values []string, with kit.Logger) (string, error)
}

// Log implements the hook of log-entry.
func (s syntax) Log(d *kit.Decl, text string, values []string, with kit.Logger) (string, error) {
	if with.Name != "" {
		return s.d.(logs).logWith(s.job, s.functionOf(d), text, values, with)
	}
	return s.d.(logs).log(s.job, s.functionOf(d), text, values)
}

// functionOf is a declaration that is a function.
func (s syntax) functionOf(d *kit.Decl) *function {
	subject := d.Raw.(whole).subject
	fn := functionNode(subject)
	if impl := subject.implementation(); impl != nil {
		fn = impl.parent
	}
	return &function{subject: subject, fn: fn, params: fn.get("parameters")}
}

// plainParams are the parameters whose values can be named in a log.
func plainParams(f *function) []string {
	var out []string
	if p := f.fn.get("parameter"); p != nil {
		return []string{p.text()}
	}
	for i, k := range f.params.list() {
		if i < f.receiver() {
			continue
		}
		name := pyParamName(k)
		if name == "" {
			name = paramName(k)
		}
		if s := splatOf(k); name == "" && (s == "list_splat_pattern" || s == "dictionary_splat_pattern") {
			if k.is("typed_parameter") {
				k = k.firstKid()
			}
			name = k.firstKid().text()
		}
		if k.is("formal_parameter", "spread_parameter") {
			name = javaParamName(k).text()
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// log uses the module's logger when it has one, else the logging module.
func (pythonDialect) log(j *job, f *function, text string, values []string) (string, error) {
	u := f.unit
	logger := fileLogger(j, f)
	if logger == "" {
		logger = "logging"
		b := u.module.names["logging"]
		switch {
		case b == nil && !j.visible(f, "logging", nil), b != nil && (len(b.imps) == 0 || b.imps[0].full != "logging" ||
			!j.visible(f, "logging", b)):
			return "", j.decline("logging means something else in %s", f.name)
		case b == nil:
			j.insertPython(u, "import logging")
		}
	}
	return pyLazy(logger+".debug", f, text, values), nil
}

// fileLogger is the logger of a function's module, "" if it has none.
func fileLogger(j *job, f *function) string {
	for _, name := range []string{"logger", "log", "LOGGER", "LOG", "_logger", "_log"} {
		if b := f.unit.module.names[name]; b != nil && b.def().is("assignment") &&
			strings.Contains(b.def().get("right").text(), "getLogger") && j.visible(f, name, b) &&
			f.declaredWithin(name) == nil {
			return name
		}
	}
	return ""
}

// visible reports whether a name used in the function means b.
func (j *job) visible(f *function, name string, b *binding) bool {
	return f.unit.scopes[f.fn].lookup(name, value) == b
}

func (d ecma) log(j *job, f *function, text string, values []string) (string, error) {
	if f.declaredWithin("console") != nil {
		return "", j.decline("console means something else in %s", f.name)
	}
	return d.logWith(j, f, text, values, kit.Logger{Name: "console"})
}

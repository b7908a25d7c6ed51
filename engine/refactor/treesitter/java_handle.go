package treesitter

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// javaRaises are the exceptions of calls that everybody knows.
var javaRaises = map[string]string{}

// javaExceptions are the packages of those outside java.lang.
var javaExceptions = map[string]string{"IOException": "java.io", "UncheckedIOException": "java.io",
	"FileNotFoundException": "java.io", "DateTimeParseException": "java.time.format",
	"URISyntaxException": "java.net", "MalformedURLException": "java.net"}

func init() {
	for exception, calls := range map[string]string{
		"NumberFormatException": "Integer.parseInt Integer.valueOf Long.parseLong Long.valueOf Double.parseDouble " +
			"Double.valueOf Float.parseFloat Short.parseShort Byte.parseByte Integer.decode",
		"IOException": `Files.readString Files.readAllLines Files.readAllBytes Files.lines Files.write Files.writeString
			Files.createDirectories Files.createDirectory Files.createFile Files.delete Files.deleteIfExists Files.copy
			Files.move Files.list Files.walk Files.size Files.newBufferedReader Files.newBufferedWriter
			Files.newInputStream Files.newOutputStream Files.createTempFile FileWriter`,
		"FileNotFoundException":    "FileReader FileInputStream FileOutputStream",
		"ClassNotFoundException":   "Class.forName",
		"IllegalArgumentException": "URI.create UUID.fromString",
		"URISyntaxException":       "URI",
		"MalformedURLException":    "URL",
		"DateTimeParseException":   "LocalDate.parse LocalDateTime.parse LocalTime.parse Instant.parse Duration.parse",
	} {
		for c := range strings.FieldsSeq(calls) {
			javaRaises[c] = exception
		}
	}
}

// raised are the exceptions that a call is known for, or that a method of the project declares.
func (javaDialect) raised(e *tried) []string {
	name := strings.Join(strings.Fields(calleeText(e.call)), "")
	root, _, _ := strings.Cut(name, ".")
	if known := javaRaises[name]; known != "" && e.p.topType(e.u.pkg, root) == nil &&
		e.u.module.lookup(root, value) == nil {
		return []string{known}
	}
	_, def := e.definition(e.call)
	throws := def.child("throws").list()
	if len(throws) != 1 || !throws[0].is("type_identifier") {
		return nil
	}
	t := throws[0].text()
	if t == "InterruptedException" {
		return nil
	}
	return []string{t}
}

func (javaDialect) heard(e *tried, text, name string, must bool) (string, error) {
	if e.f == nil {
		return "", e.decline("name the method")
	}
	all := e.loggersOf(e.f)
	for _, n := range slices.Sorted(maps.Keys(all)) {
		return e.javaError(all[n], text, name)
	}
	if !must {
		return "", nil
	}
	return `LOGGER.log(Level.WARNING, "` + text + `", ` + name + ");", e.newJavaLogger(e.f, "Level")
}

// javaError logs an exception in the way of a library.
func (e *tried) javaError(l javaLogger, text, name string) (string, error) {
	say := `"` + text + `", ` + name
	switch l.lib {
	case "java.util.logging.Logger":
		return l.expr + ".log(Level.WARNING, " + say + ");", e.javaUse("java.util.logging.Level")
	case "java.lang.System.Logger":
		return l.expr + ".log(System.Logger.Level.ERROR, " + say + ");", nil
	}
	return l.expr + ".error(" + say + ");", nil
}

// javaUse imports a type, unless the file does so.
func (e *tried) javaUse(full string) error {
	if e.p.extra["import "+full] != nil {
		return nil
	}
	e.p.extra["import "+full] = true
	err := e.javaImport(e.u, full, false)
	if d := (*refactor.Declined)(nil); errors.As(err, &d) && d.Code == refactor.Already {
		return nil
	}
	if err == nil || strings.HasPrefix(full, "java.lang.") {
		return nil
	}
	return err
}

// frame: what a method declares is thrown again as that; else as the unchecked exception for it.
func (d javaDialect) frame(e *tried, types []string) (string, []string, error) {
	if e.f == nil {
		return "", nil, e.decline("name the method")
	}
	for _, n := range []string{"e", "ex", "cause"} {
		if e.u.scopes[e.f.fn].lookup(n, value) != nil || e.hasVariable(n) {
			continue
		}
		line, err := d.heard(e, e.text, n, false)
		if err != nil {
			return "", nil, err
		}
		return d.framed(e, types[0], n, line)
	}
	return "", nil, e.decline("there is no free name for the exception in %s", e.f.name)
}

func (e *tried) hasVariable(name string) bool {
	return slices.ContainsFunc(e.u.bindings, func(b *binding) bool {
		return b.name == name && b.kind != "import" && b.def().within(e.f.fn) && e.call.within(b.scope.node)
	})
}

// declares are the exceptions that the function around the call says it throws.
func (e *tried) declares() map[string]bool {
	out := map[string]bool{}
	fn := e.call
	for fn != nil && !isFunction(fn) {
		fn = fn.parent
	}
	if fn.is("method_declaration", "constructor_declaration") {
		for k := range fn.child("throws").kids {
			out[k.text()] = true
		}
	}
	return out
}

func (javaDialect) framed(e *tried, t, name, line string) (string, []string, error) {
	if pkg := javaExceptions[t]; pkg != "" {
		if err := e.javaUse(pkg + "." + t); err != nil {
			return "", nil, err
		}
	}
	wraps := map[string]string{"IOException": "UncheckedIOException", "FileNotFoundException": "UncheckedIOException",
		"NumberFormatException": "IllegalArgumentException", "IllegalArgumentException": "IllegalArgumentException",
		"DateTimeParseException": "IllegalArgumentException"}[t]
	if wraps == "" {
		wraps = "IllegalStateException"
	}
	for k := range e.declares() {
		if has([]string{t, "Exception", "IOException"}, k) && wraps == "UncheckedIOException" {
			wraps = "IOException"
		}
	}
	if pkg := javaExceptions[wraps]; pkg != "" {
		if err := e.javaUse(pkg + "." + wraps); err != nil {
			return "", nil, err
		}
	}
	again := "throw new " + wraps + `("` + e.text + `", ` + name + ");"
	lines := []string{"} catch (" + t + " " + name + ") {"}
	if line != "" {
		lines, again = append(lines, line), "throw "+name+";"
		if wraps == "UncheckedIOException" || wraps == "IllegalStateException" {
			again = "throw new " + wraps + `("` + e.text + `", ` + name + ");"
		}
	}
	return "try {", append(lines, again, "}"), nil
}

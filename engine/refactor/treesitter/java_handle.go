package treesitter

import (
	"cmp"
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

// javaUse imports a type, unless the file does so, or imports its whole package.
func (e *tried) javaUse(full string) error {
	at := strings.LastIndexByte(full, '.')
	if e.u.module.names[full[at+1:]] == nil && e.p.topType(e.u.pkg, full[at+1:]) == nil &&
		slices.ContainsFunc(e.u.imports, func(o *origin) bool { return o.star && !o.typed && o.full == full[:at] }) {
		return nil
	}
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

// frame: what a method declares, or need not declare, is logged and thrown again. What it has to
// declare and does not becomes an unchecked exception: the method did not compile before.
func (d javaDialect) frame(e *tried, types []string) (string, []string, error) {
	if e.f == nil {
		return "", nil, e.decline("name the method")
	}
	for _, n := range []string{"e", "ex", "cause"} {
		if e.u.scopes[e.f.fn].lookup(n, value) != nil || e.hasVariable(n) {
			continue
		}
		return d.framed(e, types[0], n)
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

func (d javaDialect) framed(e *tried, t, name string) (string, []string, error) {
	if pkg := javaExceptions[t]; pkg != "" {
		if err := e.javaUse(pkg + "." + t); err != nil {
			return "", nil, err
		}
	}
	head := "} catch (" + t + " " + name + ") {"
	if !e.wraps() {
		leaves, err := e.mayLeave(t)
		if err != nil {
			return "", nil, err
		}
		if leaves {
			line, err := d.heard(e, e.text, name, true)
			return "try {", []string{head, line, "throw " + name + ";", "}"}, err
		}
	}
	wrapper, _ := d.wrapping(e, []string{t})
	if pkg := javaExceptions[wrapper]; pkg != "" {
		if err := e.javaUse(pkg + "." + wrapper); err != nil {
			return "", nil, err
		}
	}
	return "try {", []string{head, "throw new " + wrapper + `("` + e.text + `", ` + name + ");", "}"}, nil
}

// wrapping is the unchecked exception for one, or a checked one that the method declares.
func (javaDialect) wrapping(e *tried, types []string) (wrapper string, same bool) {
	wrapper = map[string]string{"IOException": "UncheckedIOException", "FileNotFoundException": "UncheckedIOException",
		"NumberFormatException": "IllegalArgumentException", "IllegalArgumentException": "IllegalArgumentException",
		"DateTimeParseException": "IllegalArgumentException"}[types[0]]
	for k := range e.declares() {
		if has([]string{types[0], "Exception", "IOException"}, k) && wrapper == "UncheckedIOException" {
			return "IOException", false
		}
	}
	return cmp.Or(wrapper, "IllegalStateException"), false
}

// mayLeave reports whether the function around the call may throw an exception of type t as it is:
// it declares it, or need not. It declines where that is not known.
func (e *tried) mayLeave(t string) (bool, error) {
	above := e.superTypes(t)
	for _, s := range above {
		if e.declares()[s] || s == "RuntimeException" || s == "Error" {
			return true, nil
		}
	}
	switch fn := e.call.up("lambda_expression", "method_declaration", "constructor_declaration"); {
	case above[len(above)-1] != "Throwable":
		return false, e.decline("whether %s has to be declared is not known here; ask to wrap it", t)
	case fn.is("lambda_expression"):
		return false, e.decline("whether the lambda at %s may throw %s is for its interface to say; ask to wrap it",
			spot(e.u, fn), t)
	}
	return false, nil
}

// superTypes are a type of exceptions and those that it extends, as far as they are known: up to
// Throwable.
func (e *tried) superTypes(t string) []string {
	out := []string{t}
	for len(out) < 20 {
		next := javaSuper[t]
		if c := e.p.topType(e.u.pkg, t); c != nil {
			next = c.def.get("superclass").lastKid().text()
		}
		if next == "" {
			return out
		}
		out, t = append(out, next), next
	}
	return out
}

// javaSuper are the types of exceptions that everybody knows, with what they extend.
var javaSuper = map[string]string{"NumberFormatException": "IllegalArgumentException",
	"IllegalArgumentException": "RuntimeException", "IllegalStateException": "RuntimeException",
	"DateTimeParseException": "DateTimeException", "DateTimeException": "RuntimeException",
	"UncheckedIOException": "RuntimeException", "UnsupportedOperationException": "RuntimeException",
	"NullPointerException": "RuntimeException", "RuntimeException": "Exception",
	"FileNotFoundException": "IOException", "NoSuchFileException": "IOException", "MalformedURLException": "IOException",
	"IOException": "Exception", "ClassNotFoundException": "ReflectiveOperationException",
	"ReflectiveOperationException": "Exception", "URISyntaxException": "Exception", "ParseException": "Exception",
	"SQLException": "Exception", "TimeoutException": "Exception", "ExecutionException": "Exception",
	"Exception": "Throwable", "Error": "Throwable"}

package golang

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// declsOf are the declarations of one file of the standard library, by name.
func declsOf(t *testing.T, file string) map[string]*decl {
	t.Helper()
	path := filepath.Join(build.Default.GOROOT, "src", file)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, b, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	g := &goFile{path: path, src: b, ast: tree, tok: fset.File(tree.Package)}
	out := map[string]*decl{}
	for _, d := range declsIn(g, "") {
		name := d.name.Name
		if d.owner != "" {
			name = d.owner + "." + name
		}
		out[name] = d
	}
	return out
}

// TestSentences: what is said of real signatures, in the words that a careful
// reviewer would let pass: plain, and never more than name and types tell.
func TestSentences(t *testing.T) {
	files := map[string]map[string]*decl{}
	for _, c := range []struct{ file, name, want string }{
		{"strings/strings.go", "Contains", "Contains reports whether s contains substr."},
		{"strings/strings.go", "ContainsAny", "ContainsAny reports whether s contains any of chars."},
		{"strings/strings.go", "ContainsRune", "ContainsRune reports whether s contains r."},
		{"strings/strings.go", "ContainsFunc", "ContainsFunc returns a bool."},
		{"strings/strings.go", "HasPrefix", "HasPrefix reports whether s has the given prefix."},
		{"strings/strings.go", "Fields", "Fields returns the fields."},
		{"strings/strings.go", "FieldsFunc", "FieldsFunc returns a []string."},
		{"strings/strings.go", "LastIndex", "LastIndex returns the last index."},
		{"strings/strings.go", "IndexByte", "IndexByte returns an int."},
		{"strings/strings.go", "Replace", "Replace returns a string."},
		{"strings/strings.go", "ReplaceAll", "ReplaceAll returns a string."},
		{"strings/strings.go", "SplitN", "SplitN returns a []string."},
		{"strings/strings.go", "TrimSpace", "TrimSpace trims the space."},
		{"strings/strings.go", "TrimFunc", "TrimFunc returns a string."},
		{"strings/strings.go", "ToUpper", "ToUpper returns s converted to upper."},
		{"strings/strings.go", "ToUpperSpecial", "ToUpperSpecial returns a string."},
		{"strings/strings.go", "Cut", "Cut returns before, after and found."},
		{"strings/strings.go", "isSeparator", "isSeparator reports whether r is a separator."},
		{"strings/builder.go", "Builder.Len", "Len returns the length."},
		{"strings/builder.go", "Builder.String", "String implements fmt.Stringer."},
		{"strings/builder.go", "Builder.Reset", "Reset resets the Builder."},
		{"strings/builder.go", "Builder.Grow", "Grow grows the Builder."},
		{"strings/builder.go", "Builder.Write", "Write implements io.Writer."},
		{"strings/builder.go", "Builder.WriteByte", "WriteByte implements io.ByteWriter."},
		{"strings/builder.go", "Builder", "Builder has no exported fields."},
		{"container/list/list.go", "Element.Next", "Next returns the next Element."},
		{"container/list/list.go", "Element", "Element holds Value."},
		{"container/list/list.go", "New", "New returns a new List."},
		{"container/list/list.go", "List.Remove", "Remove removes e."},
		{"container/list/list.go", "List.PushFront", "PushFront returns the *Element."},
		{"container/list/list.go", "List.MoveBefore", "MoveBefore takes e and mark."},
		{"bufio/scan.go", "NewScanner", "NewScanner returns a new Scanner."},
		{"bufio/scan.go", "Scanner.Err", "Err returns an error."},
		{"bufio/scan.go", "Scanner.Bytes", "Bytes returns the bytes."},
		{"bufio/scan.go", "Scanner.Split", "Split takes split."},
		{"bufio/scan.go", "Scanner.Scan", "Scan returns a bool."},
		{"bufio/scan.go", "ScanLines", "ScanLines scans the lines."},
		{"bufio/scan.go", "ErrTooLong", `ErrTooLong is the error "bufio.Scanner: token too long".`},
		{"flag/flag.go", "Value.Set", "Set sets the value."},
		{"flag/flag.go", "boolValue.Get", "Get returns the value."},
		{"flag/flag.go", "newBoolValue", "newBoolValue returns a new boolValue."},
		{"flag/flag.go", "numError", "numError returns an error."},
		{"net/http/cookie.go", "ParseCookie", "ParseCookie parses the cookie."},
		{"net/http/cookie.go", "SetCookie", "SetCookie sets the cookie."},
		{"net/http/cookie.go", "validCookieDomain", "validCookieDomain reports whether v is a valid cookie domain."},
		{"net/http/cookie.go", "sanitizeOrWarn", "sanitizeOrWarn returns a string."},
		{"net/http/server.go", "HandlerFunc.ServeHTTP", "ServeHTTP handles a request."},
		{"net/http/server.go", "ListenAndServe", "ListenAndServe listens and serves."},
		{"net/http/server.go", "Handle", "Handle takes pattern and handler."},
		{"net/http/server.go", "NotFoundHandler", "NotFoundHandler returns the not found handler."},
		{"net/http/server.go", "Server.Close", "Close implements io.Closer."},
		{"net/http/server.go", "Server.idleTimeout", "idleTimeout returns the idle timeout."},
		{"net/http/server.go", "conn.hijacked", "hijacked reports whether the conn is hijacked."},
		{"net/http/server.go", "response.CloseNotify", "CloseNotify returns a <-chan bool."},
		{"net/http/server.go", "Handler", "Handler is implemented by types with ServeHTTP."},
		{"os/file.go", "LinkError.Unwrap", "Unwrap returns the wrapped error."},
		{"os/file.go", "LinkError.Error", "Error implements error."},
		{"os/file.go", "OpenFile", "OpenFile opens the file."},
		{"regexp/regexp.go", "MustCompile", "MustCompile is like Compile but panics on an error."},
		{"regexp/regexp.go", "Regexp.NumSubexp", "NumSubexp returns the num subexp."},
		{"sort/sort.go", "Interface.Less", "Less reports whether element i sorts before element j."},
		{"sort/sort.go", "Interface.Swap", "Swap swaps elements i and j."},
		{"log/log.go", "Logger.Printf", "Printf is like Print with a format, as in fmt.Printf."},
		{"log/log.go", "Println", "Println is like Print with a line break at the end."},
		{"time/time.go", "Time.Equal", "Equal reports whether the Time and u are equal."},
		{"time/time.go", "Time.IsZero", "IsZero reports whether the Time is zero."},
		{"time/time.go", "Time.MarshalJSON", "MarshalJSON implements json.Marshaler."},
		{"context/context.go", "WithCancelCause", "WithCancelCause returns a Context with the cancel cause."},
	} {
		if files[c.file] == nil {
			files[c.file] = declsOf(t, c.file)
		}
		d := files[c.file][c.name]
		if d == nil {
			t.Errorf("%s: no %s", c.file, c.name)
		} else if got := sentence(d); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSentencesAreSentences: on whole packages, every sentence begins with the
// name, ends with one full stop, and neither stutters nor stops half-way.
func TestSentencesAreSentences(t *testing.T) {
	n := 0
	for _, file := range strings.Fields("strings/strings.go net/http/server.go os/file.go time/time.go encoding/json/encode.go text/template/exec.go go/types/api.go fmt/print.go bytes/buffer.go sync/pool.go") {
		for _, d := range declsOf(t, file) {
			s := sentence(d)
			n++
			words := strings.Fields(strings.TrimSuffix(s, "."))
			last := words[len(words)-1]
			_, isError := d.node.(*ast.ValueSpec)
			switch {
			case words[0] != d.name.Name, len(words) < 3 && d.kind == "func", strings.HasSuffix(s, ".."),
				!strings.HasSuffix(s, "."), strings.Contains(s, "  "):
				t.Errorf("%s %s: %q", file, d.name.Name, s)
			case !isError && (last == "the" || last == "to" || last == "from" || last == "with"):
				t.Errorf("%s %s: %q stops half-way", file, d.name.Name, s)
			case strings.Contains(s, "given values") || strings.Contains(s, " the the ") || strings.Contains(s, " the all"):
				t.Errorf("%s %s: %q", file, d.name.Name, s)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d declarations", n)
	}
}

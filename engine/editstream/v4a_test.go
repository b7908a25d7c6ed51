package editstream

import (
	"strings"
	"testing"
)

const (
	bp  = "*** Begin Patch\n"
	ep  = "*** End Patch\n"
	upf = bp + "*** Update File: f\n"
)

// TestV4A has one case for each measured rule of apply_patch, and for each rule on which
// this package differs.
func TestV4A(t *testing.T) {
	abcd := "a\nb\nc\nd\n"
	for _, c := range []struct {
		name, file, patch string
		want              string // content of f afterwards
		fails             string // or the message of the failed hunk or the error
	}{
		// Parsing.
		{"plain", abcd, upf + "@@\n a\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"text before", abcd, "hi\n" + upf + "@@\n-b\n+B\n" + ep, "",
			"Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"empty lines around", abcd, "\n\n" + upf + "@@\n-b\n+B\n" + ep + "\n\n", "a\nB\nc\nd\n", ""},
		{"text after", abcd, upf + "@@\n-b\n+B\n" + ep + "bye\n", "",
			"Invalid patch: The last line of the patch must be '*** End Patch'"},
		{"no end", abcd, upf + "@@\n-b\n+B\n", "", "Invalid patch: The last line of the patch must be '*** End Patch'"},
		{"no patch", abcd, "", "", "Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"end without line break", abcd, upf + "@@\n-b\n+B\n*** End Patch", "a\nB\nc\nd\n", ""},
		{"end twice", abcd, upf + "@@\n-b\n+B\n" + ep + ep, "a\nB\nc\nd\n", ""},
		{"two patches", abcd, upf + "@@\n-b\n+B\n" + ep + upf + "@@\n-c\n+C\n" + ep, "",
			"Invalid patch: The last line of the patch must be '*** End Patch'"},
		{"lower case", abcd, bp + "*** update File: f\n@@\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 2: '*** update File: f' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'"},
		{"indented markers", abcd, "  *** Begin Patch  \n   *** Update File: f  \n@@\n-b\n+B\n  *** End Patch\n",
			"a\nB\nc\nd\n", ""},
		{"header trimmed", abcd, upf + "@@   a  \n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"@@ without space", abcd, upf + "@@a\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 3: Unexpected line found in update hunk: '@@a'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"@@ and a space", abcd, upf + "@@ \n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"indented @@ is context", abcd, upf + "  @@ a\n-b\n+B\n" + ep, "", "Failed to find expected lines in f:\n @@ a\nb"},
		{"two headers", abcd, upf + "@@ a\n@@ b\n-c\n+C\n" + ep, "", "Invalid patch hunk on line 4: Unexpected line found in update hunk: '@@ b'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"header alone", abcd, upf + "@@ a\n" + ep, "",
			"Invalid patch hunk on line 4: Update hunk does not contain any lines"},
		{"empty update", abcd, upf + ep, "", "Invalid patch hunk on line 2: Update file hunk for path 'f' is empty"},
		{"empty patch", abcd, bp + ep, "", "No files were modified."},
		{"prose in a hunk", abcd, upf + "@@\n-b\nhello\n+B\n" + ep, "",
			"Invalid patch hunk on line 5: Expected update hunk to start with a @@ context marker, got: 'hello'"},
		{"prose first", abcd, upf + "hello\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 3: Unexpected line found in update hunk: 'hello'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"prose after @@", abcd, upf + "@@\nhello\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 4: Unexpected line found in update hunk: 'hello'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"unknown header", abcd, bp + "*** Foo: f\n" + ep, "", "Invalid patch hunk on line 2: '*** Foo: f' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'"},
		{"empty line after begin", abcd, bp + "\n*** Update File: f\n@@\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 2: '' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'"},
		{"empty line after update", abcd, upf + "\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"first hunk without @@", abcd, upf + " a\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"empty line is context", "a\n\nb\n", upf + "@@\n a\n\n-b\n+B\n" + ep, "a\n\nB\n", ""},
		{"environment", abcd, bp + "*** Environment ID: x\n*** Update File: f\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\n", ""},
		{"tab is no marker", abcd, upf + "@@\n\ta\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 4: Unexpected line found in update hunk: '\ta'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"stars in context", "*** x\nb\n", upf + "@@\n *** x\n-b\n+B\n" + ep, "*** x\nB\n", ""},
		{"end in context", "a\n*** End Patch\nb\n", upf + "@@\n a\n *** End Patch\n-b\n+B\n" + ep,
			"a\n*** End Patch\nB\n", ""},
		{"update in context", "a\n*** Update File: f\nb\n", upf + "@@\n a\n *** Update File: f\n-b\n+B\n" + ep,
			"a\n*** Update File: f\nB\n", ""},
		{"@@ in context", "a\n@@ x\nb\n", upf + "@@\n a\n @@ x\n-b\n+B\n" + ep, "a\n@@ x\nB\n", ""},
		{"heredoc", abcd, "<<'EOF'\n" + upf + "@@\n-b\n+B\n" + ep + "EOF\n", "a\nB\nc\nd\n", ""},
		{"heredoc without quotes", abcd, "<<EOF\n" + upf + "@@\n-b\n+B\n" + ep + "EOF\n", "a\nB\nc\nd\n", ""},
		{"heredoc with a command", abcd, "apply_patch <<'EOF'\n" + upf + "@@\n-b\n+B\n" + ep + "EOF\n", "",
			"Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"heredoc with another word", abcd, "<<'PATCH'\n" + upf + "@@\n-b\n+B\n" + ep + "PATCH\n", "",
			"Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"fence", abcd, "```\n" + upf + "@@\n-b\n+B\n" + ep + "```\n", "",
			"Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"second move", abcd, upf + "*** Move to: g\n*** Move to: h\n@@\n-b\n+B\n" + ep, "", "Invalid patch hunk on line 4: Unexpected line found in update hunk: '*** Move to: h'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)"},
		{"move without hunk", abcd, upf + "*** Move to: g\n" + ep, "",
			"Invalid patch hunk on line 2: Update file hunk for path 'f' is empty"},
		{"CRLF patch", abcd, strings.ReplaceAll(upf+"@@\n a\n-b\n+B\n"+ep, "\n", "\r\n"), "a\nB\nc\nd\n", ""},

		// Matching.
		{"order", "a\nb\nc\n", upf + "@@\n-c\n+C\n@@\n-a\n+A\n" + ep, "A\nb\nC\n", ""},
		{"forward", abcd, upf + "@@\n-a\n+A\n@@\n-d\n+D\n" + ep, "A\nb\nc\nD\n", ""},
		{"header narrows", "x\na\nx\nb\nx\nc\n", upf + "@@ b\n-x\n+X\n" + ep, "x\na\nx\nb\nX\nc\n", ""},
		{"header is not a substring", abcd, upf + "@@ ab\n-b\n+B\n" + ep, "", "Failed to find context 'ab' in f"},
		{"header with line numbers", abcd, upf + "@@ -1,2 +1,2 @@\n a\n-b\n+B\n" + ep, "",
			"Failed to find context '-1,2 +1,2 @@' in f"},
		{"matching goes on after the header", "a\nb\n", upf + "@@ a\n a\n-b\n+B\n" + ep, "", "Failed to find expected lines in f:\na\nb\n(they are at line 1, but the search starts at line 2: hunks must be in file order, after their header)"},
		{"closest header wins", "  a\nx\n a\ny\nx\na\nx\n", upf + "@@ a\n-x\n+X\n" + ep, "  a\nx\n a\ny\nx\na\nX\n", ""},
		{"old lines are contiguous", abcd, upf + "@@\n a\n-c\n+C\n" + ep, "",
			"Failed to find expected lines in f: expected `c`, file has `b` at line 2"},

		// Fuzz.
		{"white space at the end", "a  \nb\n", upf + "@@\n a\n-b\n+B\n" + ep, "a  \nB\n", ""},
		{"white space at both ends", "  a\n  b  \n", upf + "@@\n a\n-b\n+B\n" + ep, "  a\n  B\n", ""},
		{"dash in the file", "a \u2013 b\nc\n", upf + "@@\n-a - b\n+B\n" + ep, "B\nc\n", ""},
		{"dash in the patch", "a - b\nc\n", upf + "@@\n-a \u2013 b\n+B\n" + ep, "B\nc\n", ""},
		{"quotes and spaces", "\u201Ca\u201D\u00A0\u2018b\u2019\nc\n", upf + "@@\n \"a\" 'b'\n-c\n+C\n" + ep,
			"\u201Ca\u201D\u00A0\u2018b\u2019\nC\n", ""},
		{"case counts", abcd, upf + "@@\n-B\n+x\n" + ep, "", "Failed to find expected lines in f:\nB"},
		{"inner spaces count", "a  b\n", upf + "@@\n-a b\n+x\n" + ep, "", "Failed to find expected lines in f:\na b"},
		{"closest pass wins", " x\nx\n", upf + "@@\n-x\n+X\n" + ep, " x\nX\n", ""},
		{"one pass for all lines", "a \nb\na\n b\n", upf + "@@\n a\n-b\n+B\n" + ep, "a \nB\na\n b\n", ""},

		// Edges.
		{"trailing empty line", "a\nb\nc\n", upf + "@@\n a\n-b\n+B\n\n" + ep, "a\nB\nc\n", ""},
		{"two trailing empty lines", "a\nb\nc\n", upf + "@@\n a\n-b\n+B\n\n\n" + ep, "",
			"Failed to find expected lines in f: expected ``, file has `c` at line 3"},
		{"trailing empty line that is there", "a\nb\n\nb\n", upf + "@@\n-b\n+B\n\n" + ep, "a\nB\n\nb\n", ""},
		{"empty line counted on", abcd, upf + "@@\n a\n-b\n+B\n\n+X\n" + ep, "a\nB\n\nX\nc\nd\n", ""},
		{"insert only", abcd, upf + "@@ a\n+X\n" + ep, "a\nX\nb\nc\nd\n", ""},
		{"insert below a header, stray empty line", abcd, upf + "@@ b\n+X\n\n" + ep, "a\nb\nX\nc\nd\n", ""},
		{"insert only, header missing", abcd, upf + "@@ z\n+X\n" + ep, "", "Failed to find context 'z' in f"},
		{"insert only, no final newline", "a\nb", upf + "@@\n+X\n" + ep, "a\nb\nX\n", ""},
		{"insert only, then a change", abcd, upf + "@@\n+X\n@@\n-b\n+B\n" + ep, "a\nB\nc\nd\nX\n", ""},
		{"insert only, then a change of the last line", "a\nb", upf + "@@\n+X\n@@\n-b\n+B\n+C\n" + ep, "a\nB\nC\nX\n", ""},
		{"appended lines are not searched", abcd, upf + "@@\n+X\n@@\n-X\n+Y\n" + ep, "",
			"Failed to find expected lines in f:\nX"},
		{"but in the next section", abcd, upf + "@@\n+X\n*** Update File: f\n@@\n-X\n+Y\n" + ep, "a\nb\nc\nd\nY\n", ""},
		{"insert only into nothing", "", upf + "@@\n+X\n" + ep, "X\n", ""},
		{"end of file", "a\nb\na\nb\n", upf + "@@\n a\n-b\n+B\n*** End of File\n" + ep, "a\nb\na\nB\n", ""},
		{"end of file, not last", "a\nb\nc\n", upf + "@@\n a\n-b\n+B\n*** End of File\n" + ep,
			"a\nB\nc\n", ""},
		{"end of file, twice and not last", "a\na\nc\n", upf + "@@\n-a\n+B\n*** End of File\n" + ep, "",
			"Failed to place the hunk in f: its lines occur 2 times, at lines 1, 2; add context lines or an @@ header that tell them apart"},
		{"end of file, then lines", "a\nb\nc\n", upf + "@@\n b\n-c\n+B\n*** End of File\n+x\n" + ep, "",
			"Invalid patch hunk on line 8: Expected update hunk to start with a @@ context marker, got: '+x'"},
		{"end of file, then a hunk", "a\nb\nc\n", upf + "@@\n b\n-c\n+B\n*** End of File\n\n@@\n+x\n" + ep,
			"a\nb\nB\nx\n", ""},
		{"end of file first", abcd, upf + "@@\n*** End of File\n" + ep, "",
			"Invalid patch hunk on line 4: Update hunk does not contain any lines"},
		{"end of file, insert only", "a\nb\n", upf + "@@\n+x\n*** End of File\n" + ep, "a\nb\nx\n", ""},
		{"delete all", "a\n", upf + "@@\n-a\n" + ep, "", ""},
		{"no change", abcd, upf + "@@\n a\n" + ep, abcd, ""},

		// Line endings.
		{"LF in a CRLF file", "a\r\nb\nc\r\n", upf + "@@\n a\n-b\n+B\n+C\n" + ep, "a\r\nB\nC\nc\r\n", ""},
		{"CRLF after LF", "a\nb\r\nc\r\n", upf + "@@\n a\n-b\n+B\n c\n" + ep, "a\nB\r\nc\r\n", ""},
		{"no final newline, elsewhere", "a\nb\nc", upf + "@@\n a\n-b\n+B\n c\n" + ep, "a\nB\nc", ""},
		{"no final newline, replaced", "a\nb\nc", upf + "@@\n b\n-c\n+C\n" + ep, "a\nb\nC\n", ""},
		{"no final newline, appended", "a\nb", upf + "@@\n b\n+c\n+d\n" + ep, "a\nb\nc\nd\n", ""},
		{"no final newline, last line deleted", "a\nb", upf + "@@\n a\n-b\n" + ep, "a\n", ""},
		{"a unified diff's line", "a\n", upf + "@@\n-a\n+b\n\\ No newline at end of file\n" + ep, "", `Invalid patch hunk on line 6: Expected update hunk to start with a @@ context marker, got: '\ No newline at end of file'`},
		{"byte order mark", "\uFEFFa\nb\n", upf + "@@\n-a\n+A\n" + ep, "\uFEFFA\nb\n", ""},
		{"byte order mark stays", "\uFEFFa\nb\n", upf + "@@\n+X\n a\n" + ep, "\uFEFFX\na\nb\n", ""},

		// Differences.
		{"ambiguous", "x\na\nx\n", upf + "@@\n-x\n+X\n" + ep, "", "Failed to place the hunk in f: its lines occur 2 times, at lines 1, 3; add context lines or an @@ header that tell them apart"},
		{"unambiguous after the cursor", "x\na\nx\n", upf + "@@\n-a\n+A\n@@\n-x\n+X\n" + ep, "x\nA\nX\n", ""},
		{"ambiguous header", "h\nx\nh\nx\n", upf + "@@ h\n-x\n+X\n" + ep, "", "Failed to place the hunk in f: its lines occur 2 times, at lines 2, 4; add context lines or an @@ header that tell them apart"},
		{"ambiguous header to one place", "h\na\nh\nx\n", upf + "@@ h\n-x\n+X\n" + ep, "h\na\nh\nX\n", ""},
		{"first after a unique header", "h\nx\na\nx\n", upf + "@@ h\n-x\n+X\n" + ep, "h\nX\na\nx\n", ""},
		{"add over a file", abcd, bp + "*** Add File: f\n+x\n" + ep, "",
			"Failed to add file f: it exists already, with other content; use '*** Update File: f'"},
		{"add the same", abcd, bp + "*** Add File: f\n+a\n+b\n+c\n+d\n" + ep, abcd, ""},
		{"add a beginning", abcd, bp + "*** Add File: f\n+a\n" + ep, "",
			"Failed to add file f: it exists already, with other content; use '*** Update File: f'"},
		{"move onto itself", abcd, upf + "*** Move to: f\n@@\n-b\n+B\n" + ep, "",
			"Failed to move f to f: it is the same file"},
		{"move onto another", abcd, upf + "*** Move to: g\n@@\n-b\n+B\n" + ep, "",
			"Failed to move f to g: a file is already there"},
		{"missing file", abcd, bp + "*** Update File: none\n@@\n-b\n+B\n" + ep, "",
			"Failed to read file to update none: no such file"},
		{"delete a missing file", abcd, bp + "*** Delete File: none\n" + ep, "", "Failed to delete file none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, message := plan(t, files("f", c.file, "g", "g\n"), c.patch)
			if message != c.fails {
				t.Fatalf("got message\n%s\nwant\n%s", message, c.fails)
			}
			if c.fails == "" && got["f"] != c.want {
				t.Errorf("got %q, want %q", got["f"], c.want)
			}
		})
	}
}

// plan applies a patch as a whole and also streams it in every small chunk size; both must
// agree.
func plan(t *testing.T, m memFiles, patch string) (got map[string]string, message string) {
	t.Helper()
	results, failed, err := Plan(NewStrictV4A(), []byte(patch), m)
	got = map[string]string{}
	for path, d := range m {
		got[path] = d.Text.String()
	}
	switch {
	case err != nil:
		return got, strings.TrimPrefix(err.Error(), "apply patch: ")
	case len(failed) > 0:
		return got, failed[0].Message
	}
	for _, r := range results {
		after, err := r.Changes.Apply(r.Before)
		if err != nil || !after.Equal(r.After) {
			t.Fatalf("%s: Changes make %q of Before, not %q (%v)", r.Path, after, r.After, err)
		}
		if delete(got, r.Path); r.Op != Delete {
			path := r.Path
			if r.MoveTo != "" {
				path = r.MoveTo
			}
			got[path] = r.After.String()
		}
	}
	for _, n := range []int{1, 2, 3, 7, 1000} {
		r := newReplica(t, m)
		stream(NewV4A(), NewPlacer(m, Options{}), patch, n, r.take)
		for path := range r.text {
			if r.String(path) != got[path] {
				t.Fatalf("streamed in chunks of %d, %s is %q; planned it is %q", n, path, r.String(path), got[path])
			}
		}
	}
	return got, ""
}

func TestSeveralFiles(t *testing.T) {
	m := files("f", "a\n", "d", "gone\n")
	patch := bp + "*** Add File: n/x\n+one\n*** Update File: f\n@@\n-a\n+b\n*** Delete File: d\n" +
		"*** Update File: n/x\n*** Move to: n/y\n@@\n one\n+two\n*** Add File: e\n*** Add File: d\n+again\n" + ep
	got, message := plan(t, m, patch)
	if message != "" {
		t.Fatal(message)
	}
	want := map[string]string{"f": "b\n", "n/y": "one\ntwo\n", "e": "", "d": "again\n"}
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s is %q, want %q", path, got[path], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

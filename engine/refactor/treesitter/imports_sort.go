package treesitter

import (
	"sort"
	"strings"

	"waferpair/engine/refactor/words"
)

// sorted is an import with what travels with it.
type sorted struct {
	n        *node
	from, to int // with the comments above it, up to the end of its line
	group    int
	key      string
}

// sortImports sorts runs of imports. In Python a run is grouped like isort does;
// in JavaScript blank lines and imports for side effects keep their places.
func sortImports(j *job) (string, error) {
	u, err := j.file()
	if err != nil {
		return "", err
	}
	py := u.python()
	changed := 0
	for _, run := range importRuns(u, py) {
		if j.sortRun(u, run, py) {
			changed++
		}
	}
	if changed == 0 {
		return "", j.already("the imports of %s are sorted already", u.path)
	}
	return "Sorted the imports of " + u.path + ".", nil
}

// importRuns are the imports that follow each other with nothing but comments between.
func importRuns(u *unit, py bool) [][]sorted {
	var runs [][]sorted
	var run []sorted
	end := func() {
		if len(run) > 1 {
			runs = append(runs, run)
		}
		run = nil
	}
	for c := u.root.first; c != nil; c = c.next {
		if c.kind == "comment" {
			if !trailing(c) && strings.Contains(c.text(), "isort") {
				end()
			}
			continue
		}
		if !sortable(c) || !c.ownLines() {
			if c.named {
				end()
			}
			continue
		}
		s := span(u, c, len(run) == 0)
		if len(run) > 0 && gap(u, run[len(run)-1], s, py) {
			end()
			s = span(u, c, true)
		}
		run = append(run, s)
	}
	end()
	return runs
}

// trailing reports whether a comment stands behind code on its line.
func trailing(c *node) bool {
	return strings.TrimSpace(string(c.src[lineStart(c.src, c.from):c.from])) != ""
}

// sortable: `import './x'` runs for its effect, at its time.
func sortable(n *node) bool {
	switch n.kind {
	case "import_from_statement", "future_import_statement":
		return true
	case "import_statement":
		return n.get("name") != nil || n.child("import_clause", "import_require_clause") != nil
	}
	return false
}

// span is the import with the comment lines directly above it. Those above the
// first import of a run stay where they are: they may be about the file.
func span(u *unit, n *node, first bool) sorted {
	s := sorted{n: n, from: lineStart(u.src, n.from), to: lineEnd(u.src, n.to)}
	for c := n.prev; !first && c != nil && c.kind == "comment" && !trailing(c) && lineOf(u.src, c.to)+
		1 == lineOf(u.src, s.from); c = c.prev {
		s.from = lineStart(u.src, c.from)
	}
	s.group, s.key = importKey(n)
	return s
}

// gap reports whether two imports belong to different runs: a detached comment
// is between them, or, in JavaScript, a blank line.
func gap(u *unit, a, b sorted, py bool) bool {
	between := string(u.src[a.to:b.from])
	if strings.TrimSpace(between) != "" {
		return true
	}
	return !py && strings.Count(between, "\n") > 1
}

// importKey orders imports: by group, then by module.
func importKey(n *node) (int, string) {
	if src := n.get("source"); src != nil || n.child("import_require_clause") != nil {
		if src == nil {
			src = n.child("import_require_clause").get("source")
		}
		m := unquote(src)
		return jsGroup(m), strings.ToLower(m)
	}
	switch n.kind {
	case "future_import_statement":
		return 0, ""
	case "import_from_statement":
		m := n.get("module_name").text()
		return pyGroup(m), "1" + relativeKey(m)
	}
	m := n.get("name")
	if m.is("aliased_import") {
		m = m.get("name")
	}
	return pyGroup(m.text()), "0" + strings.ToLower(m.text())
}

// relativeKey puts ..x before .x, as isort does.
func relativeKey(m string) string {
	dots := len(m) - len(strings.TrimLeft(m, "."))
	if dots == 0 {
		return strings.ToLower(m)
	}
	return string(rune('z'-dots)) + strings.ToLower(m[dots:])
}

func jsGroup(m string) int {
	switch {
	case strings.HasPrefix(m, "node:"):
		return 0
	case strings.HasPrefix(m, "@/") || strings.HasPrefix(m, "~") || strings.HasPrefix(m, "#") || strings.HasPrefix(m, "$"):
		return 2
	case strings.HasPrefix(m, ".."):
		return 3
	case strings.HasPrefix(m, "."):
		return 4
	}
	return 1
}

// The groups of Python's imports.
const (
	futureGroup = iota
	stdlibGroup
	thirdGroup
	localGroup
	relativeGroup
)

func pyGroup(m string) int {
	top, _, _ := strings.Cut(m, ".")
	switch {
	case strings.HasPrefix(m, "."):
		return relativeGroup
	case top == "__future__":
		return futureGroup
	case pyStdlib[top]:
		return stdlibGroup
	}
	return thirdGroup
}

// sortRun rewrites the lines of a run, if they are not in order.
func (j *job) sortRun(u *unit, run []sorted, py bool) bool {
	if py {
		for i := range run {
			if at := j.d.locate(j.p, u.path, pyModuleOf(run[i].n)); run[i].group == thirdGroup && !at.outside {
				run[i].group = localGroup
			}
		}
	}
	in := append([]sorted(nil), run...)
	sort.SliceStable(in, func(a, b int) bool {
		if in[a].group != in[b].group {
			return in[a].group < in[b].group
		}
		return in[a].key < in[b].key
	})
	eol := u.style().eol
	var b strings.Builder
	for i, s := range in {
		if i > 0 {
			b.WriteString(eol)
			if py && in[i-1].group != s.group {
				b.WriteString(eol)
			}
		}
		b.Write(u.src[s.from:s.to])
	}
	from, to := run[0].from, run[len(run)-1].to
	if b.String() == string(u.src[from:to]) {
		return false
	}
	j.replace(u.path, from, to, b.String())
	return true
}

func pyModuleOf(n *node) string {
	m := n.get("module_name")
	if m == nil {
		m = n.get("name")
	}
	if m.is("aliased_import") {
		m = m.get("name")
	}
	return m.text()
}

// pyStdlib are the top-level modules of Python's standard library (3.8 to 3.14).
var pyStdlib = words.Set(`__future__ _thread abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop
base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop
collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes
curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno
faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass
gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io
ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes
mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator
optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix
posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re
readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd
smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg
winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo annotationlib string`)

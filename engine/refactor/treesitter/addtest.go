package treesitter

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
)

func init() { operations["add-test"] = addTest }

// addTest adds a test that is skipped until somebody writes it: an empty test
// that passes would say what is not so.
func addTest(j *job) (string, error) {
	f, err := j.function("func")
	if err != nil {
		return "", err
	}
	if f.nested() {
		return "", j.decline("%s is local to a function, and no test can reach it", f.name)
	}
	var file string
	if f.python() {
		file, err = j.pyTest(f)
	} else {
		file, err = j.jsTest(f)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Added a test of %s to %s, skipped until it is written.", f.name, file), nil
}

// subjectOf is what a test imports: the function, or its class.
func subjectOf(f *function) string {
	if f.class != nil {
		return f.class.title()
	}
	return f.name
}

func testWords(f *function) string {
	name := strings.Join(wordsOf(f.name), "_")
	if f.class != nil {
		name = strings.Join(wordsOf(f.class.title()), "_") + "_" + name
	}
	return "test_" + name
}

func (j *job) pyTest(f *function) (string, error) {
	module := strings.TrimSuffix(path.Base(f.unit.path), ext(f.unit.path))
	dir := path.Dir(f.unit.path)
	if module == "__init__" {
		module = path.Base(dir)
	}
	file := path.Join(dir, "test_"+module+".py")
	for at := dir; ; at = path.Dir(at) {
		for _, name := range []string{"tests", "test"} {
			if t := path.Join(at, name); j.p.isDir(t) && !j.p.index[file] {
				file = path.Join(t, "test_"+module+".py")
			}
		}
		if at == "." || at == "/" {
			break
		}
	}
	unittest, err := j.usesUnittest()
	if err != nil {
		return "", err
	}
	from := dotted(j.p, f.unit.path)
	imports := "from " + from + " import " + subjectOf(f)
	if u := j.p.unit(file); u != nil {
		return file, j.appendPyTest(u, f, from, unittest)
	}
	head, body := "import pytest\n\n", pytestBody(f, "    ")
	if unittest {
		head, body = "import unittest\n\n", unittestBody(f, "    ")
	}
	j.create[file] = head + imports + "\n\n\n" + body
	return file, nil
}

// dotted is the name by which a test imports a module: from the root of its
// package, or of a src folder.
func dotted(p *project, file string) string {
	dir := path.Dir(file)
	name := strings.TrimSuffix(path.Base(file), ext(file))
	parts := []string{name}
	if name == "__init__" {
		parts = nil
	}
	for ; dir != "." && dir != "/" && p.index[path.Join(dir, "__init__.py")]; dir = path.Dir(dir) {
		parts = append([]string{path.Base(dir)}, parts...)
	}
	return strings.Join(parts, ".")
}

// usesUnittest: the project's tests are written for unittest, and none for pytest.
func (j *job) usesUnittest() (bool, error) {
	isTest := func(f string) bool {
		b := path.Base(f)
		return j.p.d.handles(f) && (strings.HasPrefix(b, "test_") || strings.HasSuffix(b, "_test.py") || b == "conftest.py")
	}
	with, err := j.p.holding(j.ctx, isTest, "unittest.TestCase")
	if err != nil {
		return false, err
	}
	py, err := j.p.holding(j.ctx, isTest, "pytest")
	return len(with) > 0 && len(py) == 0, err
}

func pytestBody(f *function, tab string) string {
	return "def " + testWords(f) + "():\n" + tab + "pytest.skip(\"not written yet\")\n"
}

func unittestBody(f *function, tab string) string {
	class := ""
	for _, w := range wordsOf(strings.TrimPrefix(testWords(f), "test_")) {
		class += strings.ToUpper(w[:1]) + w[1:]
	}
	return "class Test" + class + "(unittest.TestCase):\n" + tab + "def " + testWords(f) + "(self):\n" + tab + tab +
		"self.skipTest(\"not written yet\")\n"
}

func (j *job) appendPyTest(u *unit, f *function, from string, unittest bool) error {
	st := u.style()
	if u.module.names[testWords(f)] != nil {
		return j.decline("%s has a %s already", u.path, testWords(f))
	}
	body, tool := pytestBody(f, st.tab), "pytest"
	if unittest {
		body, tool = unittestBody(f, st.tab), "unittest"
	}
	if b := u.module.names[tool]; b == nil {
		j.insertPython(u, "import "+tool)
	}
	if u.module.names[subjectOf(f)] == nil && !j.extendFrom(u, from, []string{subjectOf(f)}) {
		j.insertPython(u, "from "+from+" import "+subjectOf(f))
	}
	j.atEnd(u, "\n\n"+body)
	return nil
}

// atEnd appends text, written with \n, in the file's own line endings.
func (j *job) atEnd(u *unit, text string) {
	st := u.style()
	if len(u.src) > 0 && u.src[len(u.src)-1] != '\n' {
		text = "\n" + text
	}
	j.replace(u.path, len(u.src), len(u.src), strings.ReplaceAll(text, "\n", st.eol))
}

// nodeTests is a script that runs node's own tests, whatever else it tells node.
var nodeTests = regexp.MustCompile(`\b(node|tsx)(\s+-\S+(\s+[^-&|;\s]\S*)?)*?\s+--test\b`)

// runner is the test runner that the nearest package.json names.
func (j *job) runner(file string) (string, error) {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		var pkg struct {
			Scripts         map[string]string `json:"scripts"`
			Dependencies    map[string]string `json:"dependencies"`
			DevDependencies map[string]string `json:"devDependencies"`
		}
		f := path.Join(dir, "package.json")
		if b, err := j.p.src.Read(f); j.p.index[f] && err == nil && json.Unmarshal(b, &pkg) == nil {
			for _, name := range []string{"vitest", "jest"} {
				if pkg.DevDependencies[name]+pkg.Dependencies[name] != "" || strings.Contains(pkg.Scripts["test"], name) {
					return name, nil
				}
			}
			if nodeTests.MatchString(pkg.Scripts["test"]) {
				return "node:test", nil
			}
		}
		if dir == "." || dir == "/" {
			return "", j.decline("no package.json names vitest, jest or node --test, so it is not known how tests run here")
		}
	}
}

func (j *job) jsTest(f *function) (string, error) {
	u := f.unit
	runner, err := j.runner(u.path)
	if err != nil {
		return "", err
	}
	exportName, isDefault := exportedAs(f)
	if exportName == "" {
		return "", j.decline("%s does not export %s, so a test cannot import it", u.path, subjectOf(f))
	}
	stem := strings.TrimSuffix(u.path, ext(u.path))
	file := stem + ".test" + ext(u.path)
	if e := ".spec" + ext(u.path); j.p.index[stem+e] {
		file = stem + e
	}
	st := u.style()
	q, tab := st.quote, st.tab
	title := f.name
	if f.class != nil {
		title = f.class.title() + "." + f.name
	}
	from := "./" + path.Base(stem)
	if ext(u.path) != ".ts" && ext(u.path) != ".tsx" {
		from += ext(u.path)
	}
	what := "{ " + exportName + " }"
	if isDefault {
		what = exportName
	}
	body := "test.skip(" + q + title + q + ", () => {\n" + tab + "// TODO: say what " + title + " should do\n" + tab +
		"void " + exportName + st.semi + "\n})" + st.semi + "\n"
	if t := j.p.unit(file); t != nil {
		if strings.Contains(string(t.src), "("+q+title+q) {
			return "", j.decline("%s has a test of %s already", file, title)
		}
		return file, j.appendJSTest(t, runner, from, exportName, isDefault, body)
	}
	head := ""
	if u.cjs && !u.esm {
		if runner == "node:test" {
			head = "const test = require(" + q + "node:test" + q + ")" + st.semi + "\n"
		}
		j.create[file] = head + "const " + what + " = require(" + q + from + q + ")" + st.semi + "\n\n" + body
		return file, nil
	}
	switch runner {
	case "vitest":
		head = "import { test } from " + q + "vitest" + q + st.semi + "\n"
	case "node:test":
		head = "import test from " + q + "node:test" + q + st.semi + "\n"
	}
	j.create[file] = head + "import " + what + " from " + q + from + q + st.semi + "\n\n" + body
	return file, nil
}

// exportedAs is the name under which a module exports what a test needs.
func exportedAs(f *function) (string, bool) {
	name := subjectOf(f)
	for _, e := range f.unit.exports {
		if e.name == name && e.from == "" {
			return name, false
		}
		if (e.name == "default" || e.name == "=") && e.b != nil && e.b.name == name {
			return name, true
		}
	}
	return "", false
}

func (j *job) appendJSTest(t *unit, runner, from, name string, isDefault bool, body string) error {
	w := wanted{path: from, names: []string{name}}
	if isDefault {
		w = wanted{path: from, alias: name}
	}
	if t.module.names[name] == nil {
		if err := j.addJS(t, w); err != nil {
			return err
		}
	}
	if t.module.names["test"] == nil {
		switch {
		case t.module.names["it"] != nil || runner == "jest" || len(t.imports) == 0:
			if t.module.names["it"] != nil {
				body = "it" + strings.TrimPrefix(body, "test")
			}
		default:
			tw := wanted{path: runner, names: []string{"test"}}
			if runner == "node:test" {
				tw = wanted{path: runner, alias: "test"}
			}
			if err := j.addJS(t, tw); err != nil {
				return err
			}
		}
	}
	j.atEnd(t, "\n"+body)
	return nil
}

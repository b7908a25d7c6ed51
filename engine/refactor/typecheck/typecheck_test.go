package typecheck_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/engine/refactor"
	. "waferpair/engine/refactor/typecheck"
)

// needTypeScript skips a test where the page's TypeScript is not installed, or Node.js is not. It
// returns the folder of modules.
func needTypeScript(t *testing.T) string {
	t.Helper()
	if says, ok := Available(); !ok {
		t.Skip(says)
	}
	dir, err := filepath.Abs("../../../frontend/node_modules/typescript")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		t.Skip("the page's modules are not installed: ", err)
	}
	return filepath.Dir(dir)
}

// folder is a project with these files, and with TypeScript.
func folder(t *testing.T, modules string, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if modules != "" {
		if err := os.Symlink(filepath.Join(modules, "typescript"),
			filepath.Join(dir, "node_modules", "typescript")); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// patient makes checks wait for as long as a busy computer may take.
func patient(t *testing.T) *Checker {
	was := Limit
	Limit = 2 * time.Minute
	c := &Checker{}
	t.Cleanup(func() {
		Limit = was
		_ = c.Close() // it has no error
	})
	return c
}

// replaced is an edit of a file of the project that replaces words.
func replaced(files map[string]string, path string, oldnew ...string) refactor.Edited {
	return refactor.Edited{Path: path, Before: []byte(files[path]),
		After: []byte(strings.NewReplacer(oldnew...).Replace(files[path]))}
}

const strict = `{"compilerOptions": {"strict": true, "target": "ES2020", "lib": ["ES5"], "module": "ESNext", "moduleResolution": "bundler",
	"types": [], "noUnusedParameters": true%s}, "include": ["src"]}`

func strictly(more string) string { return strings.Replace(strict, "%s", more, 1) }

// TestNewErrors: errors count that the edit brings, in the edited files and in those that import
// them, however far; errors that were there before do not, wherever they move.
func TestNewErrors(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{
		"tsconfig.json": strictly(""),
		"src/far.ts":    "import { twice } from './near'\nexport const n: number = twice('a').length\n",
		"src/near.ts":   "import { wide } from './base'\n// 😀 é\nexport const old: string = wide\nexport function twice(s: string) { return wide(s) + s }\n",
		"src/base.ts":   "export function wide(s: string) { return s + s }\nexport const bad: number = 'x'\n",
		"src/alone.ts":  "export const a: string = 1\n",
	}
	dir := folder(t, modules, files)
	c := patient(t)
	before := snapshot(t, dir)
	for _, step := range []struct {
		what  string
		edit  []refactor.Edited
		errs  []string
		files int
	}{
		{"nothing", []refactor.Edited{replaced(files, "src/base.ts")}, nil, 3},
		{"a comment above moves the old errors", []refactor.Edited{replaced(files, "src/base.ts", "export function",
			"// one\n// two\nexport function")}, nil, 3},
		{"names in old errors", []refactor.Edited{replaced(files, "src/base.ts", "bad", "worse"),
			replaced(files, "src/near.ts", "old", "older")}, nil, 3},
		{"another type", []refactor.Edited{replaced(files, "src/base.ts", "s + s", "s.length")},
			nil, 3}, // the old error says it in other words; numbers and strings can be added
		{"a type that shows only further on", []refactor.Edited{replaced(files, "src/near.ts", "return wide(s) + s",
			"return wide(s).length")}, []string{"src/far.ts:2: Property 'length' does not exist on type 'number'. (TS2339)"}, 2},
		{"a name is gone", []refactor.Edited{replaced(files, "src/base.ts", "wide", "broad")},
			[]string{"src/near.ts:1: Module '\"./base\"' has no exported member"}, 3},
		{"a new file", []refactor.Edited{{Path: "src/new.ts", After: []byte("import { wide } from './base'\nwide(1)\n")}},
			[]string{"src/new.ts:2: Argument of type 'number' is not assignable to parameter of type 'string'. (TS2345)"}, 1},
		{"a file is gone", []refactor.Edited{{Path: "src/base.ts", Before: []byte(files["src/base.ts"])}},
			[]string{"src/near.ts:1: Cannot find module './base'"}, 0},
		{"an old error in another file",
			[]refactor.Edited{replaced(files, "src/base.ts", "export const bad: number = 'x'\n", ""),
				{Path: "src/new.ts", After: []byte("export const bad: number = 'x'\n")}}, nil, 0},
		{"it does not parse", []refactor.Edited{replaced(files, "src/base.ts", "{ return", "return")},
			[]string{"src/base.ts:1: "}, 3},
		{"after all that", []refactor.Edited{replaced(files, "src/base.ts", "'x'", "1")}, nil, 3},
	} {
		got := c.Check(t.Context(), dir, step.edit)
		if got.Skipped != "" || !strings.HasPrefix(got.By, "TypeScript ") || step.files > 0 && got.Files != step.files ||
			(len(step.errs) == 0) != (len(got.Errors) == 0) ||
			len(step.errs) > 0 && !strings.HasPrefix(got.Errors[0], step.errs[0]) {
			t.Errorf("%s: %+v, want %q in %d files", step.what, got, step.errs, step.files)
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("it wrote into the project:\n%s\nbefore:\n%s", after, before)
	}
	if pids := c.Processes(); len(pids) != 1 {
		t.Errorf("%d workers", len(pids))
	}
}

// snapshot lists the files of a folder with their sizes.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		b.WriteString(name + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestUnused: what is only not used now is said, and no error.
func TestUnused(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{"tsconfig.json": strictly(""), "src/a.ts": "export function f(a: number) { return a }\n"}
	got := patient(t).Check(t.Context(), folder(t, modules, files),
		[]refactor.Edited{replaced(files, "src/a.ts", "a: number", "a: number, b: number")})
	if len(got.Errors) > 0 || len(got.Unused) != 1 || !strings.HasPrefix(got.Unused[0], "src/a.ts:1: 'b' is declared") {
		t.Errorf("%+v", got)
	}
}

// TestWhatCovers: all cases are folders of one project, so that it has one worker. A configuration covers a file that
// it includes, that a configuration to which it refers includes, or that its files import. JavaScript is checked where
// it asks for it.
func TestWhatCovers(t *testing.T) {
	modules := needTypeScript(t)
	const ts, js = "export const n: number = 1\n", "/** @type {number} */\nexport const n = 1\n"
	const es5 = `"compilerOptions": {"lib": ["ES5"], "types": [], "checkJs": false}, `
	cases := map[string]struct {
		files map[string]string
		edit  string
		finds bool
	}{
		"above":        {map[string]string{"tsconfig.json": strictly(""), "src/deep/er/a.ts": ts}, "src/deep/er/a.ts", true},
		"not included": {map[string]string{"tsconfig.json": strictly(""), "test/a.ts": ts}, "test/a.ts", false},
		"none":         {map[string]string{"src/a.ts": ts}, "src/a.ts", false},
		"referred to": {map[string]string{"tsconfig.json": `{"files": [], "references": [{"path": "./app.json"}]}`,
			"app.json": strictly(`, "composite": true`), "src/a.ts": ts}, "src/a.ts", true},
		"imported": {map[string]string{"tsconfig.json": "{" + es5 + `"files": ["main.ts"]}`,
			"main.ts": "import './src/a'\n", "src/a.ts": ts}, "src/a.ts", true},
		"plain": {map[string]string{"jsconfig.json": "{" + es5 + `"include": ["src"]}`, "src/a.js": js}, "src/a.js", false},
		"checked": {map[string]string{"jsconfig.json": "{" + strings.Replace(es5, "false", "true", 1) + `"include": ["."]}`,
			"a.js": js}, "a.js", true},
		"asks for it": {map[string]string{"tsconfig.json": strictly(`, "allowJs": true`), "src/a.js": "// @ts-check\n" + js},
			"src/a.js", true},
		"comments and commas": {map[string]string{"tsconfig.json": "// mine\n{" + es5 + "}\n", "a.ts": ts}, "a.ts", true},
	}
	all := map[string]string{}
	for what, c := range cases {
		for name, body := range c.files {
			all[what+"/"+name] = body
		}
	}
	dir, checker := folder(t, modules, all), patient(t)
	for what, c := range cases {
		got := checker.Check(t.Context(), dir, []refactor.Edited{replaced(all, what+"/"+c.edit, "= 1", "= 'x'")})
		if (len(got.Errors) == 1) != c.finds || got.Skipped != "" {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// TestHostileTypeScript: the typescript.js of a stranger's project can write nothing, start nothing,
// read nothing outside of the project, and reach no network.
func TestHostileTypeScript(t *testing.T) {
	needTypeScript(t)
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	tries := `
const done = []
const attempt = (what, run) => { try { run(); done.push(what) } catch {} }
const fs = require('fs')
attempt('write', () => fs.writeFileSync(__dirname + '/written', ''))
attempt('write outside', () => fs.writeFileSync('` + outside + `', ''))
attempt('read outside', () => fs.readFileSync('` + outside + `'))
attempt('start', () => require('child_process').execSync('true'))
attempt('connect', () => require('net').connect(1))
attempt('fetch', () => fetch('http://127.0.0.1:1'))
attempt('worker', () => require('worker_threads'))
attempt('builtin', () => process.getBuiltinModule('net'))
attempt('binding', () => process.binding('tcp_wrap'))
attempt('module', () => require('module'))
attempt('vm', () => require('vm'))
throw new Error('can: ' + done.join(', ') + '.')
`
	files := map[string]string{"tsconfig.json": "{}", "a.ts": "", "node_modules/typescript/lib/typescript.js": tries}
	got := patient(t).Check(t.Context(), folder(t, "", files), []refactor.Edited{replaced(files, "a.ts")})
	if got.Skipped != "can: ." {
		t.Errorf("%+v", got)
	}
}

// TestTypesFromAbove: a package of a larger repository finds types in the modules of the folders above.
func TestTypesFromAbove(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{"node_modules/dep/index.d.ts": "export function dep(f: (n: number) => void): void\n",
		"node_modules/dep/package.json": `{"name": "dep", "types": "index.d.ts"}`,
		"packages/app/tsconfig.json":    strictly(""),
		"packages/app/src/a.ts":         "import { dep } from 'dep'\ndep((n) => n)\n",
		"packages/app/src/b.ts":         "import { none } from 'none'\nnone(1)\n"}
	dir := folder(t, "", files)
	c, app := patient(t), filepath.Join(dir, "packages/app")
	if err := os.MkdirAll(filepath.Join(app, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules, "typescript"), filepath.Join(app, "node_modules/typescript")); err != nil {
		t.Fatal(err)
	}
	edit := func(name, from, to string) refactor.Edited {
		e := replaced(files, "packages/app/"+name, from, to)
		e.Path = name
		return e
	}
	if got := c.Check(t.Context(), app, []refactor.Edited{edit("src/a.ts", "=> n", "=> n.length")}); len(got.Errors) !=
		1 ||
		!strings.Contains(got.Errors[0], "does not exist on type 'number'") {
		t.Errorf("%+v", got)
	}
	// without its types, an argument is implicitly any: that says nothing about the edit
	if got := c.Check(t.Context(), app, []refactor.Edited{edit("src/b.ts", "none(1)", "none((n) => n)"),
		edit("src/a.ts", "", "")}); len(got.Errors) > 0 || got.Files != 2 || got.Skipped != "" {
		t.Errorf("%+v", got)
	}
}

// TestPluginsStayOut: a plugin that the configuration names is not loaded.
func TestPluginsStayOut(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{"tsconfig.json": strictly(`, "plugins": [{"name": "evil"}, {"transform": "evil"}]`),
		"src/a.ts": "export const a = 1\n", "node_modules/evil/index.js": "throw new Error('loaded')\n",
		"node_modules/evil/package.json": `{"name": "evil", "main": "index.js"}`}
	got := patient(t).Check(t.Context(), folder(t, modules, files),
		[]refactor.Edited{replaced(files, "src/a.ts", "1", "2")})
	if got.Files != 1 || got.Skipped != "" || len(got.Errors) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestNobodyWaits: a check ends with its context, its worker goes on, and knows the project the
// next time.
func TestNobodyWaits(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{"tsconfig.json": strictly(""), "src/a.ts": "export const a = 1\n"}
	dir, c := folder(t, modules, files), patient(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	edit := []refactor.Edited{replaced(files, "src/a.ts", "1", "2")}
	if got := c.Check(ctx, dir, edit); got.Skipped == "" || got.Files > 0 {
		t.Errorf("%+v", got)
	}
	first := c.Processes()
	if got := c.Check(t.Context(), dir, edit); got.Skipped != "" || got.Files != 1 {
		t.Errorf("%+v", got)
	}
	if now := c.Processes(); len(now) != 1 || now[0] != first[0] {
		t.Errorf("%v became %v", first, now)
	}
}

// TestWorkersEnd: with the checker, when others are used, and when they die, after which another
// one answers.
func TestWorkersEnd(t *testing.T) {
	modules := needTypeScript(t)
	files := map[string]string{"tsconfig.json": strictly(""), "src/a.ts": "export const a = 1\n"}
	c := patient(t)
	edit := []refactor.Edited{replaced(files, "src/a.ts", "1", "2")}
	var pids []int
	var dirs []string
	for range 3 {
		dirs = append(dirs, folder(t, modules, files))
		if got := c.Check(t.Context(), dirs[len(dirs)-1], edit); got.Files != 1 {
			t.Fatalf("%+v", got)
		}
		now := c.Processes()
		pids = append(pids, now[len(now)-1])
	}
	gone(t, pids[0])
	if err := syscall.Kill(pids[2], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := c.Check(t.Context(), dirs[2], edit); got.Skipped == "" {
		t.Errorf("%+v", got)
	}
	gone(t, pids[2])
	if got := c.Check(t.Context(), dirs[2], edit); got.Files != 1 {
		t.Errorf("%+v", got)
	}
	pids = c.Processes()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// TestFlags: the permissions of Node.js have had two names, and did not always exist.
func TestFlags(t *testing.T) {
	for version, want := range map[string]string{"v18.19.1": "", "v20.0.0": "--experimental-permission",
		"v22.12.0": "--experimental-permission", "v22.13.0": "--permission", "v23.4.0": "--experimental-permission",
		"v23.5.0": "--permission", "v24.1.0": "--permission", "nonsense": "", "": ""} {
		if got := FlagOf(version); got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// TestAgainstTheCompiler: on the page's own code, edits get the errors that tsc has afterwards and
// had not before.
func TestAgainstTheCompiler(t *testing.T) {
	if os.Getenv("WAFERPAIR_LONG") == "" {
		t.Skip("it runs the compiler: WAFERPAIR_LONG=1")
	}
	modules := needTypeScript(t)
	tsc := filepath.Join(modules, "typescript", "bin", "tsc")
	page := filepath.Join(filepath.Dir(modules), "src")
	files := map[string]string{"tsconfig.json": strings.Replace(strictly(""), "ES5", "ES2022\", \"DOM", 1)}
	for _, name := range []string{"visible.ts", "visible.test.ts", "blocks.ts", "backoff.ts", "timeline/words.ts"} {
		b, err := os.ReadFile(filepath.Join(page, name))
		if err != nil {
			t.Fatal(err)
		}
		files["src/"+name] = string(b)
	}
	dir, c := folder(t, modules, files), patient(t)
	was := compile(t, tsc, dir)
	for _, e := range []struct{ path, from, to string }{
		{"src/visible.ts", "visible(", "shown("}, {"src/blocks.ts", "hidden", "covered"},
		{"src/visible.ts", ": string", ": number"}, {"src/blocks.ts", "export ", ""},
	} {
		edit := replaced(files, e.path, e.from, e.to)
		got := c.Check(t.Context(), dir, []refactor.Edited{edit})
		if err := os.WriteFile(filepath.Join(dir, e.path), edit.After, 0o644); err != nil {
			t.Fatal(err)
		}
		now := compile(t, tsc, dir)
		if err := os.WriteFile(filepath.Join(dir, e.path), edit.Before, 0o644); err != nil {
			t.Fatal(err)
		}
		if fresh := len(now) > len(was); fresh != (len(got.Errors) > 0) || len(got.Errors) < len(now)-len(was) ||
			got.Skipped != "" {
			t.Errorf("%s: %s becomes %s: %+v; tsc said %q, and says %q", e.path, e.from, e.to, got, was, now)
		}
	}
}

// compile returns the errors of tsc.
func compile(t *testing.T, tsc, dir string) (errors []string) {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), tsc, "--noEmit", "-p", dir).CombinedOutput() // it fails for errors
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, ": error TS") {
			errors = append(errors, strings.TrimSpace(line))
		}
	}
	return errors
}

package ops

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// mover is what a language knows of declarations that change their file.
type mover interface {
	// Paths are the files that there are, and whether one that is named without its folder is in
	// the declaration's own.
	Paths(d *kit.Decl) (all []string, near bool)
	// Movable finds the parts that move: the declaration, and with a type its methods. It declines
	// what belongs to its file, and a file that they cannot move to.
	Movable(m *kit.Move) error
	// Follow says where the parts go, writes them, and changes the imports of both files and of all
	// others that use what moves.
	Follow(m *kit.Move) error
}

// move moves a declaration to another file, which is made where there is none.
func move(j *kit.Job) error {
	ds, err := j.Subject("symbol")
	if err != nil {
		return err
	}
	d, lang := ds[0], j.Syntax.(mover)
	if len(ds) > 1 {
		return j.Declined("%s is declared in several files, of which builds choose one: %s", d.Title, places(ds))
	}
	all, near := lang.Paths(d)
	to, err := destination{j, d, all, near}.file()
	if err != nil {
		return err
	}
	if to == d.File.Path {
		return j.Already("%s is in %s", d.Title, to)
	}
	m := &kit.Move{Job: j, Decl: d, From: d.File, To: to, Gap: 1}
	if slices.Contains(all, to) {
		if m.Into, err = j.File(to); err != nil {
			return err
		}
		m.At = len(m.Into.Src)
	}
	if err := lang.Movable(m); err != nil {
		return err
	}
	if err := lang.Follow(m); err != nil {
		return err
	}
	j.Promise.Removes = true
	if m.Into == nil {
		to = "the new file " + to
	}
	j.Say("Moved %s from %s to %s.", d.Title, d.File.Path, to)
	return nil
}

func places(ds []*kit.Decl) string {
	out := make([]string, len(ds))
	for i, d := range ds {
		out[i] = d.Place()
	}
	return refactor.Few(out)
}

// destination is where a declaration is to go.
type destination struct {
	*kit.Job
	d    *kit.Decl
	all  []string
	near bool
}

// file is the file that the request means: one that is there, near the declaration first, or a new
// one. Of a folder it asks which.
func (t destination) file() (string, error) {
	said := strings.ReplaceAll(strings.Trim(t.Arg("to"), "`'\""), "\\", "/")
	name, here := path.Clean(said), path.Dir(t.d.File.Path)
	if said == "" {
		return path.Join(here, fileName(t.d.Name, path.Ext(t.d.File.Path))), nil
	}
	if strings.HasPrefix(name, "../") {
		name = path.Join(here, name)
	}
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") {
		return "", t.Declined("%s is not in the project", said)
	}
	ext := path.Ext(t.d.File.Path)
	if !strings.HasSuffix(said, "/") {
		if found, err := t.existing(t.spellings(name, ext)); found != "" || err != nil {
			return found, err
		}
	}
	if dir, err := t.folder(name); err != nil {
		return "", err
	} else if dir != "" && (path.Ext(name) == "" || strings.HasSuffix(said, "/")) {
		return t.inFolder(dir, ext)
	}
	if path.Ext(name) == "" {
		name += ext
	}
	dir, err := t.newFolder(path.Dir(name))
	return path.Join(dir, path.Base(name)), err
}

// spellings are the paths that a name may stand for: without its extension, or as a module.
func (t destination) spellings(name, ext string) []string {
	out := []string{name}
	if path.Ext(name) == "" {
		out = append(out, name+ext)
	}
	return append(out, strings.ReplaceAll(name, ".", "/")+ext)
}

func (t destination) existing(names []string) (string, error) {
	here := path.Dir(t.d.File.Path)
	for _, name := range names {
		near := path.Join(here, name)
		switch {
		case !strings.Contains(name, "/") && slices.Contains(t.all, near):
			return near, nil
		case !strings.Contains(name, "/") && t.near:
			continue
		case slices.Contains(t.all, name):
			return name, nil
		case slices.Contains(t.all, near):
			return near, nil
		}
		var found []string
		for _, f := range t.all {
			if strings.HasSuffix(f, "/"+name) {
				found = append(found, f)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", t.which(found, "%s is the name of several files", name)
		}
	}
	return "", nil
}

// folder is the one folder of the project that the name means, "" if there is none.
func (t destination) folder(name string) (string, error) {
	dirs := map[string]bool{}
	for _, f := range t.all {
		for d := path.Dir(f); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	if near := path.Join(path.Dir(t.d.File.Path), name); name == "." || dirs[name] {
		return name, nil
	} else if dirs[near] {
		return near, nil
	}
	var found []string
	for d := range dirs {
		if strings.HasSuffix(d, "/"+name) {
			found = append(found, d)
		}
	}
	slices.Sort(found)
	if len(found) > 1 {
		return "", &refactor.Declined{Code: refactor.Ambiguous, Understood: t.Op.String(),
			Reason: fmt.Sprintf("%s is the name of several folders: %s", name, refactor.Few(found))}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", nil
}

// newFolder is the folder of a new file: one that is there, else a new one in the project, below
// the declaration's own folder unless the path begins as another one does.
func (t destination) newFolder(dir string) (string, error) {
	here := path.Dir(t.d.File.Path)
	if dir == "." {
		return here, nil
	}
	if found, err := t.folder(dir); found != "" || err != nil {
		return found, err
	}
	first, _, _ := strings.Cut(dir, "/")
	if slices.ContainsFunc(t.all, func(f string) bool { return strings.HasPrefix(f, first+"/") }) {
		return dir, nil
	}
	return path.Join(here, dir), nil
}

// inFolder is a new file in a folder that has none of the language, or a question.
func (t destination) inFolder(dir, ext string) (string, error) {
	own := path.Join(dir, fileName(t.d.Name, ext))
	var files []string
	for _, f := range t.all {
		if path.Dir(f) == dir && path.Ext(f) == ext && !strings.HasPrefix(path.Base(f), "__") {
			files = append(files, f)
		}
	}
	if len(files) == 0 || slices.Contains(files, own) {
		return own, nil
	}
	return "", t.which(append([]string{own}, files[:min(len(files), 4)]...), "%s is a folder", dir)
}

func (t destination) which(files []string, format string, args ...any) error {
	d := &refactor.Declined{Code: refactor.Ambiguous, Understood: t.Op.String(),
		Reason: fmt.Sprintf(format, args...) + ": which file?"}
	for _, f := range files {
		d.Nearest = append(d.Nearest, "move "+t.Arg("symbol")+" to "+f)
	}
	return d
}

// fileName is a usual name for the file of a symbol: snake case in Go and Python, else the symbol itself.
func fileName(symbol, ext string) string {
	if ext != ".go" && ext != ".py" {
		return symbol + ext
	}
	var b strings.Builder
	rs := []rune(symbol)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) && unicode.IsLower(rs[i+1])) &&
			rs[i-1] != '_' {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Trim(b.String(), "_") + ext
}

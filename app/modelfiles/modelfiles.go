// Package modelfiles has the model files that a user has added, under plain names: links in a folder of
// the user's data, never copies. A name is NAME, its link NAME.gguf.
//
//	waferpair models add FILE --> Folder --List, Open--> engine.Registry
//	                                 '---> local.Shelf, which loads a file once
//
// How fast files and the computer were is kept, too, in the user's state (measured.go).
//
// The folder is read at each List, so that what one process adds is there in the others. A link whose
// file has gone is listed with the reason, and opens with it.
package modelfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"waferpair/app/userfile"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/local"
	"waferpair/engine/model"
)

// Folder is the folder of links.
type Folder struct {
	Path  string
	State string // the file with what was measured
	Shelf *local.Shelf
}

// In returns the folder in the user's folders of data and of state, which the XDG rules name.
func In(dataHome, stateHome string, shelf *local.Shelf) *Folder {
	return &Folder{filepath.Join(dataHome, "waferpair", "models"),
		filepath.Join(stateHome, "waferpair", "model-files.json"), shelf}
}

const ending = ".gguf"

// Entry is an added file.
type Entry struct {
	Name string
	File string // what the link leads to
	Err  error  // why it cannot be used; nil: it can
	Info model.Info
}

// Entries lists the files, sorted by name.
func (f *Folder) Entries() ([]Entry, error) {
	links, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the model files: %w", err)
	}
	var out []Entry
	for _, l := range links {
		if name, is := strings.CutSuffix(l.Name(), ending); is && CheckName(name) == nil {
			out = append(out, f.entry(name))
		}
	}
	return out, nil
}

func (f *Folder) entry(name string) Entry {
	link := f.link(name)
	e := Entry{Name: name, File: link}
	if to, err := os.Readlink(link); err == nil {
		e.File = to
	}
	var m *local.Model
	if m, e.Err = f.Shelf.Open(name, e.File, f.template(name)); e.Err == nil {
		e.Info = m.Info()
	}
	return e
}

// template returns the form of chats that was chosen for a model; "" is the file's own.
func (f *Folder) template(name string) string {
	raw, err := os.ReadFile(f.chosen(name))
	if err != nil {
		return "" // mostly, none was
	}
	return strings.TrimSpace(string(raw))
}

func (f *Folder) chosen(name string) string { return filepath.Join(f.Path, name+".template") }

func (f *Folder) link(name string) string { return filepath.Join(f.Path, name+ending) }

// List describes the models that can be used. It implements engine.Named.
func (f *Folder) List() (out []model.Info) {
	entries, err := f.Entries()
	if err != nil {
		return nil // 'models list' says it
	}
	for _, e := range entries {
		if e.Err == nil {
			out = append(out, e.Info)
		}
	}
	return out
}

// Open returns the driver of a model. It implements engine.Named.
func (f *Folder) Open(name string) (d engine.Driver, is bool, err error) {
	if CheckName(name) != nil {
		return nil, false, nil
	}
	if _, err := os.Lstat(f.link(name)); err != nil {
		return nil, false, nil
	}
	e := f.entry(name)
	if e.Err != nil {
		return nil, true, e.Err
	}
	m, err := f.Shelf.Open(name, e.File, f.template(name))
	if err != nil {
		return nil, true, err
	}
	return agent.New(m), true, nil
}

// longestName is the most bytes of a name: with what is put before and behind it, a file system takes it.
const longestName = 200

// CheckName returns why a name cannot be one. It is part of a file's name and of command lines, so it has no
// slashes, spaces and signs, and no character that cannot be seen; letters are those of any script.
func CheckName(name string) error {
	for i, r := range name {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
		case i > 0 && (unicode.IsMark(r) || strings.ContainsRune(".-_", r)):
		case i == 0 && r == '_':
		default:
			return fmt.Errorf("the name %.60q has a %q: a name has letters, digits, dots, dashes and underlines, "+
				"and begins with a letter or a digit", name, r)
		}
	}
	if name == "" || len(name) > longestName {
		return fmt.Errorf("%.60q is no name: one has 1 to %d bytes", name, longestName)
	}
	return nil
}

// NameOf returns a name for a file; "" if its own has nothing that a name may have.
func NameOf(path string) string {
	base := filepath.Base(path)
	if len(base) > len(ending) && strings.EqualFold(base[len(base)-len(ending):], ending) {
		base = base[:len(base)-len(ending)]
	}
	// an accent may stand behind its letter: macOS writes names so
	name := strings.Map(func(r rune) rune {
		if CheckName("a"+string(r)) != nil {
			return '-'
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(base, "-")))
	name = strings.TrimLeftFunc(name, func(r rune) bool { return CheckName(string(r)) != nil || r == '_' })
	for len(name) > longestName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

// Taken means that a name is another file's.
type Taken struct{ Name, File string }

func (t *Taken) Error() string {
	return fmt.Sprintf(
		"the name %s is that of %s already; choose another with --name, or run 'waferpair models remove %s' first",
		t.Name, t.File, t.Name)
}

// Add adds a file under a name, once it is known to be a model that runs. template names the form of its
// chats; empty is the file's own.
func (f *Folder) Add(name, path, template string) (Entry, error) {
	if err := CheckName(name); err != nil {
		return Entry{}, err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Entry{}, fmt.Errorf("add a model file: %w", err)
	}
	m, err := f.Shelf.Open(name, path, template)
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return Entry{}, err
	}
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return Entry{}, fmt.Errorf("add a model file: %w; see that you may write there", err)
	}
	if template != "" {
		if err := userfile.Replace(f.chosen(name),
			func([]byte) ([]byte, error) { return []byte(template + "\n"), nil }); err != nil {
			return Entry{}, fmt.Errorf("add a model file: %w", err)
		}
	}
	if _, err := os.Stat(f.link(name)); errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(f.link(name)) // its file has gone; if it stays, the next line says it
	}
	if err := os.Symlink(path, f.link(name)); errors.Is(err, fs.ErrExist) {
		if e := f.entry(name); e.File != path {
			return e, &Taken{name, e.File}
		}
	} else if err != nil {
		return Entry{},
			fmt.Errorf("add a model file: %w; see that there is space in %s and that you may write there", err, f.Path)
	}
	return f.entry(name), nil
}

// Remove removes a name, not its file. It reports whether there was one.
func (f *Folder) Remove(name string) (bool, error) {
	if CheckName(name) != nil {
		return false, nil
	}
	if err := os.Remove(f.chosen(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, fmt.Errorf("remove the model %s: %w", name, err)
	}
	err := os.Remove(f.link(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remove the model %s: %w", name, err)
	}
	return true, nil
}

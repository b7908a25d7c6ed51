// Package recipes has the ready requests: texts with a name that are sent as requests. Some are built
// in; users add their own, each a Markdown file NAME.md whose first heading is its title, in
//
//	waferpair/ready/    in the user's configuration folder
//	.waferpair/ready/   in a project
//
// The first of a name counts, in this order: built in, the user's, the project's. So a project that
// somebody else made replaces none of the user's. A ready request is text for a model and nothing
// else: it chooses no model, gives no permission and widens no scope. A link that leads out of the
// project is not followed.
//
//	$ARGUMENTS    the words that the user adds; at the end, if the text does not say where
//	{selection}   the selected lines, or the file
//	{file}        its path
package recipes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Recipe is a ready request.
type Recipe struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	From  string `json:"from"`           // built-in, yours or project
	Kind  string `json:"kind,omitempty"` // of task, as package app has it; "": that of the mode
	Asks  bool   `json:"asks,omitempty"` // it is a question: it edits nothing
	Text  string `json:"-"`
	// Hidden says which one of this name is used in its place.
	Hidden string `json:"hidden,omitempty"`
}

// The places of ready requests.
const (
	BuiltIn = "built-in"
	Yours   = "yours"
	Project = "project"
)

var builtIn = []Recipe{
	{Name: "docs", Title: "Write documentation", Kind: "docs", From: BuiltIn, Text: `Write documentation for {selection}, in
the style of this project: doc comments where its language has them. Say what a caller has to know:
purpose, parameters that are not obvious, results, errors, side effects, what it must not be used for.
Correct comments that are wrong. Do not repeat what the names say, and do not change any code.`},
	{Name: "tests", Title: "Write tests", Kind: "tests", From: BuiltIn, Text: `Write tests for {selection}, with the test
library, the helpers and the style of the tests that are beside it, in the file where such tests belong
here. Test the behaviour that callers rely on: usual input, limits, empty and wrong input, errors.
Do not change the tested code. If it is wrong, write the test for what is right, and say so.`},
	{Name: "explain", Title: "Explain", Kind: "explain", Asks: true, From: BuiltIn, Text: `Explain {selection}: what it is for,
how it works, from the outside in, who calls it, and what is surprising or easy to get wrong.`},
}

// List returns all ready requests. config is the user's configuration folder, project the project's; ""
// leaves one out. The error says which files cannot be read; the others are there.
func List(config, project string) ([]Recipe, error) {
	out := slices.Clone(builtIn)
	var errs []error
	add := func(root, folder, from string) {
		list, err := read(root, folder, from)
		errs = append(errs, err)
		for _, r := range list {
			if i := slices.IndexFunc(out, func(o Recipe) bool { return o.Name == r.Name && o.Hidden == "" }); i >= 0 {
				r.Hidden = out[i].From
			}
			out = append(out, r)
		}
	}
	if config != "" {
		add(filepath.Join(config, "waferpair"), "ready", Yours)
	}
	if project != "" {
		add(project, filepath.Join(".waferpair", "ready"), Project)
	}
	return out, errors.Join(errs...)
}

// Unknown says that there is no ready request of a name.
type Unknown struct {
	Name  string
	Known []string
}

func (e *Unknown) Error() string {
	return fmt.Sprintf("there is no ready request %q; there are: %s; 'waferpair ready list' says more", e.Name,
		strings.Join(e.Known, ", "))
}

// Find returns a ready request by its name.
func Find(list []Recipe, name string) (Recipe, error) {
	var known []string
	for _, r := range list {
		if r.Hidden != "" {
			continue
		}
		if r.Name == name {
			return r, nil
		}
		known = append(known, r.Name)
	}
	return Recipe{}, &Unknown{name, known}
}

// The limits of files.
const (
	maxFiles = 200
	maxBytes = 64 << 10
)

var goodName = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// read reads the files of a folder below a root.
func read(root, folder, from string) (out []Recipe, err error) {
	r, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("look for ready requests: %w", err)
	}
	defer r.Close()
	list, err := fs.ReadDir(r.FS(), filepath.ToSlash(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("list the ready requests: %w", err)
	}
	var errs []error
	for _, e := range list {
		name, is := strings.CutSuffix(e.Name(), ".md")
		if !is || !goodName.MatchString(name) || len(out) == maxFiles {
			continue
		}
		text, err := readOne(r, filepath.Join(folder, e.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("the ready request %s: %w", filepath.Join(root, folder, e.Name()), err))
			continue
		}
		one := parse(name, text)
		one.From = from
		out = append(out, one)
	}
	return out, errors.Join(errs...)
}

func readOne(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxBytes:
		return "", fmt.Errorf("it has more than %d bytes", maxBytes)
	case !utf8.Valid(b) || strings.TrimSpace(string(b)) == "":
		return "", errors.New("it has no text in UTF-8")
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n"), nil
}

// parse reads a file: its title is its first heading.
func parse(name, text string) Recipe {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	first, rest, _ := strings.Cut(text, "\n")
	r := Recipe{Name: name, Title: name, Text: text}
	if title, is := strings.CutPrefix(first, "# "); is && strings.TrimSpace(rest) != "" {
		r.Title, r.Text = strings.TrimSpace(title), strings.TrimSpace(rest)
	}
	return r
}

// Fill returns the request: words are the user's, selection and file what it is about.
func (r Recipe) Fill(words, selection, file string) string {
	words = strings.TrimSpace(words)
	takes := strings.Contains(r.Text, "$ARGUMENTS")
	s := strings.NewReplacer("$ARGUMENTS", words, "{selection}", selection, "{file}", file).Replace(r.Text)
	if !takes && words != "" {
		s = strings.TrimRight(s, "\n") + "\n\n" + words
	}
	return strings.TrimSpace(s)
}

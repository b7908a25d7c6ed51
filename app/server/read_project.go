package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf16"

	"waferpair/app/query"
	"waferpair/engine"
	"waferpair/engine/model"
)

// TreeEntry is one line of the project tree.
type TreeEntry struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Dir        bool   `json:"dir"`
	Ignored    bool   `json:"ignored"`
	Held       bool   `json:"held"`       // may hold secrets
	Unreviewed int    `json:"unreviewed"` // pending edits by the model, in it or below it
	Changed    bool   `json:"changed"`    // in this session
}

type treeArgs struct {
	Dir  string `json:"dir"`
	Bare bool   `json:"bare,omitempty"`
}

type treeAnswer struct {
	Entries []TreeEntry `json:"entries"`
}

func readTree(ctx context.Context, o *opened, in treeArgs) (treeAnswer, error) {
	read := o.Query().Tree
	if in.Bare {
		read = o.Query().BareTree
	}
	entries, err := read(ctx, in.Dir)
	out := treeAnswer{Entries: make([]TreeEntry, len(entries))}
	for i, e := range entries {
		out.Entries[i] = TreeEntry{e.Name, e.Path, e.Dir, e.Ignored, e.Held, e.Unreviewed, e.Changed}
	}
	return out, err
}

type findArgs struct {
	Q     string `json:"q"`
	Limit int    `json:"limit"`
}

// FoundFile is a file whose path matches a few typed letters.
type FoundFile struct {
	Path  string `json:"path"`
	Match []int  `json:"match"` // UTF-16 positions of the matched letters
}

type findAnswer struct {
	Files []FoundFile `json:"files"`
	Total int         `json:"total"`
}

func readFind(ctx context.Context, o *opened, in findArgs) (findAnswer, error) {
	found, err := o.Query().Find(ctx, in.Q, limited(in.Limit, 1000))
	out := findAnswer{Files: make([]FoundFile, len(found.Files)), Total: found.Total}
	for i, f := range found.Files {
		out.Files[i] = FoundFile{f.Path, unitsAt(f.Path, f.Match)}
	}
	return out, err
}

// limited bounds the number of results.
func limited(n, most int) int {
	if n <= 0 || n > most {
		return most
	}
	return n
}

// unitsAt converts byte offsets to UTF-16 units.
func unitsAt(s string, at []int) []int {
	out := make([]int, len(at))
	for i, b := range at {
		out[i] = len(utf16.Encode([]rune(s[:min(b, len(s))])))
	}
	return out
}

type grepAnswer struct {
	Matches []query.GrepMatch `json:"matches"`
	Files   int               `json:"files"`
	More    bool              `json:"more"`
}

func readGrep(ctx context.Context, o *opened, in query.GrepQuery) (grepAnswer, error) {
	in.Limit = limited(in.Limit, 10_000)
	out := grepAnswer{Matches: []query.GrepMatch{}}
	done, err := o.Query().Grep(ctx, in, func(m query.GrepMatch) error {
		out.Matches = append(out.Matches, m)
		return nil
	})
	out.Files, out.More = done.Files, done.More
	return out, err
}

type symbolsArgs struct {
	Q     string `json:"q"`
	Path  string `json:"path"`
	Limit int    `json:"limit"`
}

type symbolsAnswer struct {
	Symbols []query.Symbol `json:"symbols"`
}

func readSymbols(ctx context.Context, o *opened, in symbolsArgs) (symbolsAnswer, error) {
	found, err := o.Query().Symbols(ctx, in.Q, in.Path, limited(in.Limit, 1000))
	return symbolsAnswer{list(found)}, err
}

// Operation is something that the built-in model can do.
type Operation struct {
	Name      string   `json:"name"`
	Help      string   `json:"help"`
	Example   string   `json:"example"`
	Languages []string `json:"languages"`
}

type operationsAnswer struct {
	Operations []Operation `json:"operations"`
}

func readOperations(_ context.Context, o *opened, _ none) (operationsAnswer, error) {
	out := operationsAnswer{Operations: []Operation{}}
	if m, ok := engine.As[model.Operator](o.Models().Default()); ok {
		for _, op := range m.Operations() {
			out.Operations = append(out.Operations, Operation{op.Name, op.Help, op.Example, list(op.Languages)})
		}
	}
	return out, nil
}

type workingArgs struct {
	Path     string   `json:"path"`
	Requests []string `json:"requests"`
}

type workingAnswer struct {
	Requests []string `json:"requests"`
}

func readWorking(ctx context.Context, o *opened, in workingArgs) (workingAnswer, error) {
	defer func() { go debug.FreeOSMemory() }() // trying requests out takes up to 200 MB
	found, err := o.Working(ctx, in.Path, in.Requests)
	return workingAnswer{list(found)}, err
}

type understoodArgs struct {
	Text  string `json:"text"`
	Model string `json:"model"`
	File  string `json:"file"` // the place that the user points at, as in Request
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// Understood is what the model understands of a request so far.
type Understood struct {
	Operations []string `json:"operations"` // none: nothing is understood
	Names      []string `json:"names"`      // of symbols, old and new
	Files      []string `json:"files"`
	Lacks      bool     `json:"lacks"`   // something is yet to come
	Certain    bool     `json:"certain"` // it needs no question
}

func readUnderstood(ctx context.Context, o *opened, in understoodArgs) (Understood, error) {
	u, err := o.Understand(ctx, in.Model, model.Target{File: in.File, From: in.From, To: in.To}, in.Text)
	return Understood{list(u.Operations), list(u.Names), list(u.Files), len(u.Lacks) > 0, u.Certain}, err
}

type connectArgs struct {
	Model string `json:"model"`
}

// readConnect connects to where a model runs, when the user begins to type a request to it. It never
// has a word of the request.
func readConnect(_ context.Context, o *opened, in connectArgs) (none, error) {
	o.Connect(in.Model)
	return none{}, nil
}

type spansArgs struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type spansAnswer struct {
	Spans []query.Span `json:"spans"`
}

func readSpans(ctx context.Context, o *opened, in spansArgs) (spansAnswer, error) {
	spans, err := o.Query().Spans(ctx, in.Path, []byte(in.Text))
	return spansAnswer{list(spans)}, err
}

type foldersAnswer struct {
	Path    string   `json:"path"`
	Folders []string `json:"folders"`
}

// readFolders lists the folders in a folder, for choosing a project without a native dialog.
// "" is the user's home folder.
func readFolders(_ context.Context, _ *host, in pathArgs) (foldersAnswer, error) {
	dir := in.Path
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return foldersAnswer{}, err
		}
		dir = home
	}
	if !filepath.IsAbs(dir) {
		return foldersAnswer{}, usage("Give the full path of a folder.")
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrPermission) {
		return foldersAnswer{}, fail(codeFailed, dir+" cannot be read: you have no permission.")
	}
	if err != nil {
		return foldersAnswer{}, err
	}
	out := foldersAnswer{Path: filepath.Clean(dir), Folders: []string{}}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && isDir(dir, e) {
			out.Folders = append(out.Folders, e.Name())
		}
	}
	slices.SortFunc(out.Folders, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return out, nil
}

// isDir reports whether an entry is a folder, or a link to one.
func isDir(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	st, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && st.IsDir()
}

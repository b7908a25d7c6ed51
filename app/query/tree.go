package query

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"waferpair/workspace"
	"waferpair/workspace/secrets"
)

// TreeEntry is one line of the project tree.
type TreeEntry struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Dir        bool   `json:"dir"`
	Ignored    bool   `json:"ignored"`
	Held       bool   `json:"held"` // it may hold secrets
	Kind       string `json:"kind"` // file, dir, link, other
	Size       int64  `json:"size"`
	Unreviewed int    `json:"unreviewed"` // edits by the model that wait for review, in it or below it
	Changed    bool   `json:"changed"`    // edited in the current session
}

// tree lists folders, with cached marks.
type tree struct {
	core Core
	kept markCache
}

// Tree lists one folder as it is on disk, including ignored entries: folders first, in
// natural order. "" is the project folder.
func (t *tree) Tree(ctx context.Context, dir string) ([]TreeEntry, error) {
	marks, err := t.kept.of(ctx, t.core)
	if err != nil {
		return nil, err
	}
	return t.children(ctx, dir, marks)
}

// BareTree is Tree without marks from the history, which are not ready right after a start.
func (t *tree) BareTree(ctx context.Context, dir string) ([]TreeEntry, error) {
	return t.children(ctx, dir, nil)
}

func (t *tree) children(ctx context.Context, dir string, marks map[string]mark) ([]TreeEntry, error) {
	entries, err := t.core.Folder.Children(ctx, dir)
	if err != nil {
		return nil, err
	}
	out := make([]TreeEntry, len(entries))
	for i, e := range entries {
		out[i] = t.core.treeEntry(e, marks[e.Path])
	}
	inPeoplesOrder(out)
	return out, nil
}

func (c Core) treeEntry(e workspace.Entry, m mark) TreeEntry {
	out := TreeEntry{Name: path.Base(e.Path), Path: e.Path, Kind: treeKind(e.Kind), Unreviewed: m.unreviewed,
		Changed: m.changed}
	out.Dir = e.Kind == workspace.Directory
	out.Ignored = c.Ignored(e.Path, out.Dir)
	if !out.Dir {
		out.Size = e.Size
		_, out.Held = secrets.FileLikelySecret(e.Path)
	}
	return out
}

func treeKind(k workspace.Kind) string {
	switch k {
	case workspace.Directory:
		return "dir"
	case workspace.Symlink:
		return "link"
	case workspace.Regular:
		return "file"
	}
	return "other"
}

// inPeoplesOrder sorts in natural order: without regard to case, and numbers by value.
func inPeoplesOrder(list []TreeEntry) {
	type keyed struct {
		*TreeEntry
		lower string
	}
	entries := slices.Clone(list)
	keys := make([]keyed, len(list))
	for i := range entries {
		keys[i] = keyed{&entries[i], strings.ToLower(entries[i].Name)}
	}
	slices.SortFunc(keys, func(a, b keyed) int {
		switch {
		case a.Dir && !b.Dir:
			return -1
		case b.Dir && !a.Dir:
			return 1
		}
		return cmp.Or(naturalCompare(a.lower, b.lower), strings.Compare(a.Name, b.Name))
	})
	for i, k := range keys {
		list[i] = *k.TreeEntry
	}
}

// naturalCompare compares runs of digits by value: file2 comes before file10.
func naturalCompare(a, b string) int {
	for a != "" && b != "" {
		if isDigit(a[0]) && isDigit(b[0]) {
			x, restA := number(a)
			y, restB := number(b)
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = restA, restB
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number splits off the run of digits at the beginning of s, without leading zeros.
func number(s string) (digits, rest string) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return strings.TrimLeft(s[:n], "0"), s[n:]
}

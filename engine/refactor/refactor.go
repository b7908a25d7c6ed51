package refactor

import (
	"context"
	"fmt"
	"strings"

	"waferpair/workspace/text"
)

// Op is one structural operation: the name of an entry of Ops and its arguments.
// A subject may be a Pointer; the Runner replaces it by the name of what is
// selected, so that languages see names only.
type Op struct {
	Name string            `json:"op"`
	Args map[string]string `json:"args,omitempty"`
}

// Program is a list of operations, carried out in order, each on the result of the one before.
type Program []Op

// Source is the project as operations read it: open buffers over disk.
// Paths are slash-separated and relative to the project folder. Its methods are
// called from several goroutines.
type Source interface {
	// Files lists every readable text file that is not ignored, sorted.
	Files(ctx context.Context) ([]string, error)
	// Read returns the bytes of a file; callers must not modify them.
	Read(path string) ([]byte, error)
	// Root is the project folder on disk, for tools that load packages from there.
	Root() string
}

// Target narrows a program to what the user pointed at. The zero value is the whole project.
type Target struct {
	File     string // the open or named file, or ""
	From, To int    // selected lines of File, from 1, inclusive; 0 when nothing is selected
}

// FileEdit is what an operation does to one file.
type FileEdit struct {
	Path    string
	Create  bool          // the file does not exist yet; Changes is one insertion at 0
	Delete  bool          // the file goes away; Changes is empty
	Changes []text.Change // against the bytes that Source.Read gives, sorted, not overlapping
}

// Result is the outcome of a program: edits sorted by path, and one sentence for the user.
type Result struct {
	Edits   []FileEdit
	Summary string   // "Renamed parseConfig to loadConfig: 7 places in 3 files."
	Notes   []string // what the user should know: places left alone and why
}

// Code is why a program is declined: what code branches on, never the words.
type Code string

// The codes of refusals.
const (
	Beyond    Code = ""          // it is not understood, or cannot be done as things are
	Already   Code = "already"   // there is nothing to do: the project is as the request wants it
	Ambiguous Code = "ambiguous" // it may mean one of several things: it has to be said which
	NoSymbol  Code = "no-symbol" // what it names is not declared
	NoFile    Code = "no-file"   // the file that it names is not there, or it names none and needs one
)

// Declined says that a program cannot be carried out as it stands, and what could be.
// Nothing was changed.
type Declined struct {
	Code       Code
	Understood string   // what the request was taken to mean: `rename parseConfig to loadConfig`
	Reason     string   // why not: `no symbol named parseConfig`
	Nearest    []string // the nearest names or requests that would work
}

func (d *Declined) Error() string {
	var b strings.Builder
	if d.Understood != "" {
		fmt.Fprintf(&b, "understood: %s; ", d.Understood)
	}
	b.WriteString(d.Reason)
	if len(d.Nearest) > 0 {
		fmt.Fprintf(&b, "; nearest: %s", strings.Join(d.Nearest, ", "))
	}
	return b.String()
}

package query

import (
	"context"

	"waferpair/app/mask"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Core gives access to a project. Questions that need no cache are its methods.
type Core struct {
	Folder  *workspace.Folder // for reading
	Ignored func(path string, dir bool) bool
	History *history.Store // for reading
	Live    Live
}

// Live gives access to the current text files of a project, including open ones.
type Live interface {
	Files(context.Context) ([]string, error) // sorted; the caller owns the list; without files that may hold secrets
	Read(path string) ([]byte, error)
	Now(ctx context.Context, path string) (File, error) // empty for a missing file
	Stamps(paths []string) []Stamp                      // one for each
	Generation() Generation                             // another one when Files or a stamp has changed

	// Compared reports whether the folder has been compared with its history,
	// so that Files is complete. Ready waits for that.
	Compared() bool
	Ready(context.Context) error
}

// Generation identifies the content of all files within this process.
type Generation struct {
	List int64
	Open uint64 // of the open files
}

// File is the current content of a file.
type File struct {
	Text     text.Text
	Encoding text.Encoding
	Version  workspace.Version // of the open text; 0 for a file that is not open
}

// Stamp changes with a file's content: a version of the open text, or the state of the file in
// history and on disk.
type Stamp struct {
	Buffer  *workspace.Buffer // nil: the file is not open
	Version workspace.Version
	Known   history.FileState
}

// nowMasked returns the current content of a file, and the same as history may hold it.
func (c Core) nowMasked(ctx context.Context, name string) (path string, now File, m text.Text, err error) {
	if path, err = c.Folder.Path(name); err != nil {
		return "", File{}, text.Text{}, err
	}
	if now, err = c.Live.Now(ctx, path); err != nil {
		return "", File{}, text.Text{}, err
	}
	m, _ = mask.Text(path, now.Text)
	return path, now, m, nil
}

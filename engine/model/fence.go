package model

import (
	"fmt"
	"path"
	"strings"
)

// Fence is where a turn's edits may land without the user's approval. The turn enforces it,
// whatever the model writes. The zero value allows the whole project.
type Fence struct {
	Globs []string // as given with --scope; a folder allows everything below it, ** crosses folders
}

// CheckGlob returns an error for a malformed glob.
func CheckGlob(glob string) error {
	for _, part := range strings.Split(glob, "/") {
		if part == "**" {
			continue
		}
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("scope %q: %w; use patterns such as 'pkg/**/*.go' or a folder name", glob, err)
		}
	}
	return nil
}

// Allows reports whether an edit of the file may land.
func (f Fence) Allows(file string) bool {
	if len(f.Globs) == 0 {
		return true
	}
	for _, g := range f.Globs {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "./"), "/")
		if g == "." || g == "" || match(strings.Split(g, "/"), strings.Split(file, "/")) {
			return true
		}
	}
	return false
}

// match reports whether the glob's parts match the file's, or a folder above it.
func match(glob, file []string) bool {
	if len(glob) == 0 {
		return true // the glob named a folder (or the file itself)
	}
	if glob[0] == "**" {
		for i := range len(file) + 1 {
			if match(glob[1:], file[i:]) && (len(glob) > 1 || i < len(file)) {
				return true
			}
		}
		return false
	}
	if len(file) == 0 {
		return false
	}
	ok, err := path.Match(glob[0], file[0])
	return err == nil && ok && match(glob[1:], file[1:])
}

package workspace

import (
	"path"
	"path/filepath"
	"strings"
)

// maxName is the length of the longest file name, in bytes, on Linux filesystems.
const maxName = 255

// longestPath is the longest path that a system call accepts (PATH_MAX without its NUL). No
// other program can open a longer one either.
const longestPath = 4095

// Path checks a name from outside (a patch, a model, the command line) and returns it as a
// clean slash-separated path relative to the root. It does not touch the disk. A refused
// name is a *PathError.
//
// An absolute path inside the root becomes relative. Backslashes stay: on Linux they are
// ordinary characters of a name.
func (f *Folder) Path(name string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &PathError{Path: name, Reason: reason} }
	if name == "" {
		return refuse("it is empty")
	}
	if strings.IndexByte(name, 0) >= 0 {
		return refuse("it contains a NUL byte")
	}
	if len(name) > longestPath {
		name = name[:40] + "..."
		return refuse("it is longer than a path can be")
	}
	rel := filepath.ToSlash(name)
	if path.IsAbs(rel) {
		inside, ok := f.relative(rel)
		if !ok {
			return refuse("it is outside the project folder " + f.root)
		}
		rel = inside
	}
	for c := range strings.SplitSeq(rel, "/") {
		if reason := badComponent(c); reason != "" {
			return refuse(reason)
		}
	}
	if rel = path.Clean(rel); rel == "." {
		return refuse("it names the project folder itself")
	}
	return rel, nil
}

// relative removes the root from an absolute path. The root has two names if the folder was
// opened through a link.
func (f *Folder) relative(abs string) (string, bool) {
	for _, root := range []string{f.root, f.given} {
		if abs == root {
			return ".", true
		}
		if rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(root, "/")+"/"); ok {
			return strings.TrimLeft(rest, "/"), true
		}
	}
	return "", false
}

func badComponent(c string) string {
	switch {
	case c == "..":
		return "it contains `..`; name the file from the project folder"
	case len(c) > maxName:
		return "a name in it is longer than 255 bytes"
	case isDotGit(c):
		return "it touches .git, which is never changed"
	}
	return ""
}

// SettingsFolder is where a project keeps settings of this program. What is in it is read as the user's
// own, so only the user writes it: no model, and no program for one.
const SettingsFolder = ".waferpair"

// InSettings reports whether a path is in a SettingsFolder, or is one.
func InSettings(p string) bool {
	for c := range strings.SplitSeq(p, "/") {
		if isFolder(c, SettingsFolder, "waferp~") {
			return true
		}
	}
	return false
}

func isDotGit(name string) bool { return isFolder(name, ".git", "git~") }

// isFolder reports whether some filesystem that the folder may be copied to, or mounted from, takes the
// name for another one: any case, its NTFS short names (git~1), trailing dots and spaces, NTFS streams
// (.git::$INDEX_ALLOCATION), names up to a backslash, and characters that HFS+ ignores.
func isFolder(name, other, short string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(dropIgnorable, part), ". ")
		if strings.EqualFold(part, other) || isShort(part, short) {
			return true
		}
	}
	return false
}

// isShort matches the 8.3 names that NTFS may give to a long one: git~1, git~2, ...
func isShort(s, short string) bool {
	n := len(short)
	return len(s) > n && strings.EqualFold(s[:n], short) && strings.Trim(s[n:], "0123456789") == ""
}

// dropIgnorable removes the characters that HFS+ ignores in comparisons of names:
// zero-width and direction marks.
func dropIgnorable(r rune) rune {
	if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
		return -1
	}
	return r
}

// Temporary names have a fixed short length: a suffix on a name of 255 bytes would be too
// long.
const (
	tempPrefix = ".waferpair-"
	tempSuffix = ".tmp"
	tempRandom = 8
)

// IsTemp reports whether the last element of path is a name that Save gives to its
// temporary files. They are not content: Walk skips them, a watcher should ignore them, and
// no write may name one.
func IsTemp(p string) bool {
	base := path.Base(p)
	return len(base) == len(tempPrefix)+tempRandom+len(tempSuffix) &&
		strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

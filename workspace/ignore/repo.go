package ignore

import (
	"os"
	"path/filepath"
	"strings"
)

// repo locates the parts of a folder's git repository that matter here. All fields are
// empty for a folder outside of any repository.
type repo struct {
	top    string // of the work tree
	gitDir string // of this work tree
	common string // shared by all work trees: config and info/exclude
}

// findRepo looks for the repository of root, in root and above.
func findRepo(root string) repo {
	for dir := root; ; {
		if gitDir, ok := gitDirOf(dir); ok {
			return repo{top: dir, gitDir: gitDir, common: commonDir(gitDir)}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return repo{}
		}
		dir = up
	}
}

// gitDirOf follows dir/.git, which in linked work trees and submodules is a file that says
// "gitdir: PATH". It skips a .git that is not a repository.
func gitDirOf(dir string) (string, bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	if err != nil {
		return "", false
	}
	if info.Mode().IsRegular() {
		content, err := os.ReadFile(dotGit)
		target, found := strings.CutPrefix(string(content), "gitdir: ")
		if err != nil || !found {
			return "", false
		}
		dotGit = absolute(dir, strings.TrimRight(target, "\r\n"))
	}
	if _, err := os.Stat(filepath.Join(dotGit, "HEAD")); err != nil {
		return "", false
	}
	return dotGit, true
}

func commonDir(gitDir string) string {
	content, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	return absolute(gitDir, strings.TrimRight(string(content), "\r\n"))
}

// absolute resolves path against dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// branch returns the checked-out branch, or "" if HEAD is detached.
func (r repo) branch() string {
	head, err := os.ReadFile(filepath.Join(r.gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return name
}

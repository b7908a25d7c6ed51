package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxRules is the size of all project instructions together.
const maxRules = 32 << 10

// ruleFiles are the project's instructions in each folder: the first one that is there counts.
var ruleFiles = []string{"AGENTS.md", "CLAUDE.md"}

// copilotRules count in the project's folder when there are no others.
const copilotRules = ".github/copilot-instructions.md"

// rules returns the project's instructions for some files: from the outermost folder to the
// innermost, so that the nearest ones are read last and win. When they are too long, the outermost
// are cut first. The same text counts once, where it is nearest.
func (b *builder) rules(about []string) (parts []Part) {
	files := b.ruleFiles(about)
	seen := map[string]bool{}
	left := maxRules
	for _, file := range slices.Backward(files) {
		s, err := b.readText(file)
		if err != nil {
			b.left(Left{Kind: Rules, Name: file, Path: file, Reason: err.Error()})
			continue
		}
		key := strings.TrimSpace(s)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		p := Part{Kind: Rules, Name: file, Path: file, Removable: true, Reason: "instructions for " + folderOf(file)}
		if over := len(s) - left; over > 0 {
			p.Cut = fmt.Sprintf(
				"%d of %d bytes: all instructions together have room for %d KiB, and the nearest ones come first",
				over, len(s), maxRules>>10)
			if left < 256 {
				b.left(Left{Kind: Rules, Name: file, Path: file, Tokens: b.count(s), Reason: p.Cut})
				continue
			}
			s = strings.ToValidUTF8(s[:left], "") + "\n[the rest is left out]\n"
		}
		left -= min(left, len(s))
		if !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		p.Text = fmt.Sprintf("# Instructions of the project, for %s (%s)\n%s", folderOf(file), file, s)
		parts = append(parts, b.counted(p))
	}
	slices.Reverse(parts)
	return parts
}

// ruleFiles lists the files with instructions for some files, outermost first.
func (b *builder) ruleFiles(about []string) (out []string) {
	dirs := map[string]bool{".": true}
	for _, file := range about {
		for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		for _, name := range ruleFiles {
			file := path.Join(dir, name)
			if b.has(file) {
				out = append(out, file)
				break
			}
			b.unreadRules(file)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	if (len(out) == 0 || path.Dir(out[0]) != ".") && b.has(copilotRules) {
		out = slices.Insert(out, 0, copilotRules)
	}
	return out
}

// unreadRules says that there is a file with instructions which is none of the project's texts.
func (b *builder) unreadRules(file string) {
	_, err := b.r.Files.Read(file)
	switch {
	case err == nil:
		b.left(Left{Kind: Rules, Name: file, Path: file,
			Reason: "it is a link or no file of the project: only the project's own files are read as instructions"})
	case !errors.Is(err, fs.ErrNotExist):
		b.left(Left{Kind: Rules, Name: file, Path: file, Reason: err.Error()})
	}
}

func folderOf(file string) string {
	if dir := path.Dir(file); dir != "." && file != copilotRules {
		return dir + "/"
	}
	return "the whole project"
}

// has reports whether the project has a file.
func (b *builder) has(file string) bool {
	_, ok := b.index(file)
	return ok
}

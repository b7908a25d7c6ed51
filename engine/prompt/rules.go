package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"waferpair/engine/model"
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
	for _, r := range slices.Backward(files) {
		file := r.name
		s, err := b.readText(r.file)
		if err != nil {
			b.left(Left{Kind: Rules, Name: file, Path: r.file, Reason: err.Error()})
			continue
		}
		key := strings.TrimSpace(s)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		p := Part{Kind: Rules, Name: file, Path: r.file, Removable: true, Reason: "instructions for " + folderOf(file)}
		if r.file != file {
			p.Reason += "; a link to " + r.file
		}
		if over := len(s) - left; over > 0 {
			p.Cut = fmt.Sprintf(
				"%d of %d bytes: all instructions together have room for %d KiB, and the nearest ones come first",
				over, len(s), maxRules>>10)
			if left < 256 {
				b.left(Left{Kind: Rules, Name: file, Path: r.file, Tokens: b.count(s), Reason: p.Cut})
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

// ruleFile is a file with instructions: its name, and the file of the project that it is, or that a link of
// that name leads to.
type ruleFile struct{ name, file string }

// ruleFiles lists the files with instructions for some files, outermost first.
func (b *builder) ruleFiles(about []string) (out []ruleFile) {
	dirs := map[string]bool{".": true}
	for _, file := range about {
		for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		for _, name := range ruleFiles {
			name := path.Join(dir, name)
			if file := b.ruleFile(name); file != "" {
				out = append(out, ruleFile{name, file})
				break
			}
			b.unreadRules(name)
		}
	}
	slices.SortFunc(out, func(a, b ruleFile) int {
		if n := strings.Count(a.name, "/") - strings.Count(b.name, "/"); n != 0 {
			return n
		}
		return strings.Compare(a.name, b.name)
	})
	if len(out) == 0 || path.Dir(out[0].name) != "." {
		if file := b.ruleFile(copilotRules); file != "" {
			out = slices.Insert(out, 0, ruleFile{copilotRules, file})
		}
	}
	return out
}

// ruleFile returns the file of the project that a name stands for; "" when there is none. What a link leads to
// counts as if it were named itself: an ignored file is none of the project's.
func (b *builder) ruleFile(name string) string {
	if b.has(name) {
		return name
	}
	if links, is := b.r.Files.(model.LinkSource); is {
		if to := links.LinkTo(name); to != "" && b.has(to) {
			return to
		}
	}
	return ""
}

// unreadRules says that there is a file with instructions which is none of the project's texts.
func (b *builder) unreadRules(file string) {
	_, err := b.r.Files.Read(file)
	switch {
	case err == nil:
		b.left(Left{Kind: Rules, Name: file, Path: file,
			Reason: "it is no file of the project, or a link out of it: only the project's own files are read as instructions"})
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

package editstream

import (
	"regexp"
	"strings"
)

// bareNames are files that usually have no extension.
var bareNames = map[string]bool{
	"Makefile": true, "Dockerfile": true, "LICENSE": true, "README": true, "CHANGELOG": true,
	"Gemfile": true, "Rakefile": true, "Procfile": true, "Vagrantfile": true, "Jenkinsfile": true,
}

// listMark is what stands before an item of a list, or a numbered heading.
var listMark = regexp.MustCompile(`^([-*+]|\d{1,2}[.)]) +`)

// pathLine parses a line that contains a path and nothing else, as models write it before a
// block: plain, `path`, **path**, "### path", "File: path", "// path", and any of them with a
// number, a list's mark, words in parentheses, or a colon at the end.
func pathLine(line string) (string, bool) {
	name, quoted, _ := named(line)
	return name, looksLikePath(name, quoted)
}

// named takes the marks off a path line. quoted: it stood in quotes, labelled: behind "File:".
func named(line string) (s string, quoted, labelled bool) {
	s = strings.TrimSpace(line)
	s = strings.TrimSpace(listMark.ReplaceAllString(s, ""))
	if h := strings.TrimLeft(s, "#"); h != s && strings.HasPrefix(h, " ") {
		s = strings.TrimSpace(h)
	}
	if c, is := strings.CutPrefix(s, "// "); is {
		s = strings.TrimSpace(c)
	}
	s = strings.TrimSpace(listMark.ReplaceAllString(s, ""))
	label := func() {
		for _, label := range []string{"file:", "filename:", "path:"} {
			if len(s) > len(label) && strings.EqualFold(s[:len(label)], label) {
				s, labelled = strings.TrimSpace(s[len(label):]), true
			}
		}
	}
	label()
	for range 3 { // **`path`:**
		s = aside.ReplaceAllString(strings.TrimSuffix(s, ":"), "$1")
		for _, q := range []string{"**", "__", "`", "\"", "'"} {
			if len(s) > 2*len(q) && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
				s, quoted = s[len(q):len(s)-len(q)], true
			}
		}
		label()
	}
	return s, quoted, labelled
}

// aside matches words in parentheses behind a path, such as "(new)".
var aside = regexp.MustCompile(`^(\S+) \([\w ,'-]{1,40}\)$`)

// looksLikePath distinguishes a path from a word or a sentence. Only a quoted path may have
// spaces.
func looksLikePath(s string, quoted bool) bool {
	switch {
	case s == "" || len(s) > 1024 || strings.ContainsAny(s, "<>\"|?*`\x00\t") || strings.Contains(s, "://"):
		return false
	case strings.Contains(s, " ") && !quoted || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " "):
		return false
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, "/") || strings.HasSuffix(s, ",") || strings.HasPrefix(s, "-"):
		return false
	}
	return strings.ContainsAny(s, "./") || bareNames[s]
}

// infoPath reads a path from a fence's info string: "go path", "go:path", "go file=path",
// or a path with a folder alone.
func infoPath(info string) string {
	fields := strings.Fields(info)
	for i, f := range fields {
		key, value, ok := strings.Cut(f, "=")
		switch key {
		case "path", "file", "title", "filename":
			if value = strings.Trim(value, `"'`); ok && looksLikePath(value, true) {
				return value
			}
		}
		if lang, path, ok := strings.Cut(f, ":"); i == 0 && ok && lang != "" && looksLikePath(path, false) {
			return path
		}
		if looksLikePath(f, false) && !ok && (i == 1 || i == 0 && strings.Contains(f, "/")) {
			return f
		}
	}
	return ""
}

// isDiff reports whether a fence contains a change and not the content of a file.
func isDiff(info string) bool {
	lang, _, _ := strings.Cut(info, " ")
	lang, _, _ = strings.Cut(lang, ":")
	return lang == "diff" || lang == "patch" || lang == "udiff"
}

package editstream

import "strings"

// bareNames are files that usually have no extension.
var bareNames = map[string]bool{
	"Makefile": true, "Dockerfile": true, "LICENSE": true, "README": true, "CHANGELOG": true,
	"Gemfile": true, "Rakefile": true, "Procfile": true, "Vagrantfile": true, "Jenkinsfile": true,
}

// pathLine parses a line that contains a path and nothing else, as models write it before a
// block: plain, `path`, **path**, "### path", "File: path", and any of them with a colon at
// the end.
func pathLine(line string) (string, bool) {
	s := strings.TrimSpace(line)
	if h := strings.TrimLeft(s, "#"); h != s && strings.HasPrefix(h, " ") {
		s = strings.TrimSpace(h)
	}
	for _, label := range []string{"file:", "filename:", "path:"} {
		if len(s) > len(label) && strings.EqualFold(s[:len(label)], label) {
			s = strings.TrimSpace(s[len(label):])
		}
	}
	quoted := false
	for range 3 { // **`path`:**
		s = strings.TrimSuffix(s, ":")
		for _, q := range []string{"**", "`"} {
			if len(s) > 2*len(q) && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
				s, quoted = s[len(q):len(s)-len(q)], true
			}
		}
	}
	return s, looksLikePath(s, quoted)
}

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

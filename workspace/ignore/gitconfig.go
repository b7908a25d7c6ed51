package ignore

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// settings is the part of git's configuration that concerns ignoring. The package reads the
// files itself, in git's order, instead of asking the git program: this runs at every
// start, and the program may be missing.
type settings struct {
	excludesFile string // "" for none
	ignoreCase   bool
}

func readSettings(r repo) settings {
	c := configReader{repo: r, worktree: r.gitDir != ""}
	c.s.excludesFile = defaultExcludes()
	for _, file := range configFiles(r) {
		c.read(file, 0)
	}
	if c.worktreeConfig {
		c.read(filepath.Join(r.gitDir, "config.worktree"), 0)
	}
	if f := c.s.excludesFile; f != "" && r.top != "" {
		c.s.excludesFile = absolute(r.top, f)
	}
	return c.s
}

func configFiles(r repo) []string {
	var files []string
	if no, _ := parseBool(os.Getenv("GIT_CONFIG_NOSYSTEM")); !no {
		files = append(files, firstOf(os.Getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig"))
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else {
		files = append(files, inXDG("config"), inHome(".gitconfig"))
	}
	if r.common != "" {
		files = append(files, filepath.Join(r.common, "config"))
	}
	return files
}

func defaultExcludes() string { return inXDG("ignore") }

func inXDG(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	return inHome(filepath.Join(".config", "git", name))
}

func inHome(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, name)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type configReader struct {
	s              settings
	repo           repo
	worktree       bool
	worktreeConfig bool // extensions.worktreeConfig
}

const maxIncludes = 10 // nesting depth; git's own limit

func (c *configReader) read(file string, depth int) {
	if file == "" || depth > maxIncludes {
		return
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return
	}
	parseConfig(string(content), func(section, sub, key, value string, hasValue bool) {
		c.set(file, depth, section, sub, key, value, hasValue)
	})
}

func (c *configReader) set(file string, depth int, section, sub, key, value string, hasValue bool) {
	switch section + "." + key {
	case "core.excludesfile":
		if sub == "" && hasValue {
			c.s.excludesFile = expandHome(value)
		}
	case "core.ignorecase":
		if b, ok := parseBool(value); sub == "" && (ok || !hasValue) {
			c.s.ignoreCase = b || !hasValue
		}
	case "extensions.worktreeconfig":
		if b, ok := parseBool(value); sub == "" && (ok || !hasValue) {
			c.worktreeConfig = b || !hasValue
		}
	case "include.path":
		if sub == "" && hasValue {
			c.read(absolute(filepath.Dir(file), expandHome(value)), depth+1)
		}
	case "includeif.path":
		if hasValue && c.holds(sub, file) {
			c.read(absolute(filepath.Dir(file), expandHome(value)), depth+1)
		}
	}
}

// holds evaluates the condition of an includeIf section in file.
func (c *configReader) holds(condition, file string) bool {
	kind, arg, _ := strings.Cut(condition, ":")
	switch kind {
	case "gitdir":
		return c.inGitDir(arg, file, false)
	case "gitdir/i":
		return c.inGitDir(arg, file, true)
	case "onbranch":
		if strings.HasSuffix(arg, "/") {
			arg += "**"
		}
		branch := c.repo.branch()
		g := compileGlob(arg, true, false)
		return branch != "" && g.match(branch)
	}
	return false
}

func (c *configReader) inGitDir(pattern, file string, fold bool) bool {
	if !c.worktree {
		return false
	}
	pattern = expandHome(pattern)
	if rest, ok := strings.CutPrefix(pattern, "./"); ok {
		pattern = filepath.Dir(file) + "/" + rest
	} else if !filepath.IsAbs(pattern) {
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	g := compileGlob(pattern, true, fold)
	if real, err := filepath.EvalSymlinks(c.repo.gitDir); err == nil && g.match(real) {
		return true
	}
	return g.match(c.repo.gitDir)
}

// expandHome resolves a leading ~/ or ~user/.
func expandHome(path string) string {
	if !strings.HasPrefix(path, "~") {
		return path
	}
	name, rest, _ := strings.Cut(path[1:], "/")
	if name == "" {
		return inHome(rest)
	}
	u, err := user.Lookup(name)
	if err != nil {
		return path
	}
	return filepath.Join(u.HomeDir, rest)
}

// parseBool parses git's spellings; ok is false for anything else.
func parseBool(s string) (value, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	return false, false
}

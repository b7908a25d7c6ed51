package golang

import (
	"go/build/constraint"
	"go/version"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// buildConfig is one way to build: which files of a folder belong together.
// A mention in a file that this computer does not build counts as much as any
// other, so each file is looked at under some configuration that includes it.
type buildConfig struct {
	goos, goarch string
	cgo          bool
	oldGo        bool // no go1.N tag holds
	tags         map[string]bool
}

func hostConfig() buildConfig {
	return buildConfig{goos: runtime.GOOS, goarch: runtime.GOARCH, cgo: true}
}

var knownOS = strings.Fields(
	"linux darwin windows freebsd netbsd openbsd dragonfly solaris illumos aix android ios js wasip1 plan9 hurd nacl zos")
var knownArch = strings.Fields("amd64 arm64 386 arm wasm riscv64 ppc64le ppc64 s390x mips mipsle mips64 mips64le loong64 riscv sparc sparc64 armbe arm64be amd64p32 ppc s390 mips64p32 mips64p32le")
var unixOS = strings.Fields("aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris")

func (c buildConfig) tag(t string) bool {
	switch {
	case t == c.goos, t == c.goarch, t == "gc", t == "goexperiment.none":
		return true
	case t == "unix":
		return slices.Contains(unixOS, c.goos)
	case t == "cgo":
		return c.cgo
	case t == "linux" && c.goos == "android", t == "solaris" && c.goos == "illumos", t == "darwin" && c.goos == "ios":
		return true
	case strings.HasPrefix(t, "go1."):
		return !c.oldGo && version.Compare(t, runtime.Version()) <= 0
	}
	return c.tags[t]
}

// includes reports whether the configuration builds the file.
func (c buildConfig) includes(g *goFile) bool {
	if g.cgo && !c.cgo {
		return false
	}
	goos, goarch := nameConstraint(g.path)
	if goos != "" && !c.tag(goos) || goarch != "" && goarch != c.goarch {
		return false
	}
	return g.expr == nil || g.expr.Eval(c.tag)
}

// nameConstraint reads the operating system and processor from a file name, as go build does.
func nameConstraint(file string) (goos, goarch string) {
	name := file[strings.LastIndexByte(file, '/')+1:]
	name, _, _ = strings.Cut(name, ".")
	i := strings.IndexByte(name, '_')
	if i < 0 {
		return "", ""
	}
	l := strings.Split(name[i+1:], "_")
	if n := len(l); n > 0 && l[n-1] == "test" {
		l = l[:n-1]
	}
	n := len(l)
	if n >= 2 && slices.Contains(knownOS, l[n-2]) && slices.Contains(knownArch, l[n-1]) {
		return l[n-2], l[n-1]
	}
	if n >= 1 && slices.Contains(knownOS, l[n-1]) {
		return l[n-1], ""
	}
	if n >= 1 && slices.Contains(knownArch, l[n-1]) {
		return "", l[n-1]
	}
	return "", ""
}

// standalone reports whether the file is built by itself (go run file.go):
// it asks for the tag "ignore", by convention set nowhere.
func standalone(g *goFile) bool {
	found := false
	if g.expr != nil {
		eachTag(g.expr, func(t string) { found = found || t == "ignore" })
	}
	return found
}

func eachTag(x constraint.Expr, f func(string)) {
	switch x := x.(type) {
	case *constraint.TagExpr:
		f(x.Tag)
	case *constraint.NotExpr:
		eachTag(x.X, f)
	case *constraint.AndExpr:
		eachTag(x.X, f)
		eachTag(x.Y, f)
	case *constraint.OrExpr:
		eachTag(x.X, f)
		eachTag(x.Y, f)
	}
}

// configsFor chooses configurations so that each file is included by one of
// them: the host's first, then as few others as a greedy search finds. Files
// that no configuration includes come back as left.
func configsFor(files []*goFile) (configs []buildConfig, left []*goFile) {
	host := hostConfig()
	configs = []buildConfig{host}
	for _, g := range files {
		if standalone(g) || slices.ContainsFunc(configs, func(c buildConfig) bool { return c.includes(g) }) {
			continue
		}
		if c, ok := satisfy(g, host); ok {
			configs = append(configs, c)
		} else {
			left = append(left, g)
		}
	}
	return configs, left
}

// satisfy finds a configuration that includes the file, near the host's.
func satisfy(g *goFile, host buildConfig) (buildConfig, bool) {
	oses := append([]string{host.goos}, knownOS...)
	archs := append([]string{host.goarch}, knownArch...)
	free := freeTags(g)
	if len(free) > 6 {
		free = free[:6]
	}
	for set := range 1 << len(free) {
		tags := map[string]bool{}
		for i, t := range free {
			tags[t] = set&(1<<i) != 0
		}
		for _, goos := range oses {
			for _, goarch := range archs {
				for _, v := range [][2]bool{{true, false}, {false, false}, {true, true}, {false, true}} {
					c := buildConfig{goos: goos, goarch: goarch, cgo: v[0], oldGo: v[1], tags: maps.Clone(tags)}
					if c.includes(g) {
						return c, true
					}
				}
			}
		}
	}
	return buildConfig{}, false
}

// freeTags are the tags of the file's constraint that are neither a system nor a processor.
func freeTags(g *goFile) []string {
	var out []string
	if g.expr == nil {
		return nil
	}
	eachTag(g.expr, func(t string) {
		switch {
		case t == "unix", t == "cgo", t == "gc", strings.HasPrefix(t, "go1."):
		case slices.Contains(knownOS, t), slices.Contains(knownArch, t), slices.Contains(out, t):
		default:
			out = append(out, t)
		}
	})
	return out
}

package spark

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/engine/refactor"
)

// sample is how many of the many combinations a plain test run skips between two.
func sample() int {
	if os.Getenv("WAFERPAIR_LONG") != "" {
		return 1
	}
	return 29
}

func BenchmarkParse(b *testing.B) {
	theGrammar()
	for name, r := range map[string]string{
		"rename":   "please rename parseConfig to loadConfig everywhere",
		"param":    "add a parameter done func(a int) error to build with default nil and update all callers",
		"declined": "please rewrite the whole thing so that it works without a database, unless that is slow",
		"several":  "rename a to b; set MaxRetries to 5; add a test for Foo; sort the imports; add json tags to Config",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Parse(r, Context{Files: project})
			}
		})
	}
}

// BenchmarkCompile is the price of the first request after the start.
func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		compileGrammar()
	}
}

// TestHostileLength: the longest requests there are take bounded work.
func TestHostileLength(t *testing.T) {
	for _, piece := range []string{"a ", "the ", "rename a to b and ", "rename a to b, c to d, ", "((((", "func(", "[]",
		"a|", "a | ", "1+", "`", "please ", "add a parameter x ", "\n", "and ", "'", "set a to 1; ", "map[",
		"add a TODO to x: y and "} {
		r := strings.Repeat(piece, maxRequest/len(piece))
		start := cpuTime()
		p, err := Parse(r, Context{Files: project})
		if (err == nil) == (len(p.Program) == 0) {
			t.Errorf("%.30q…: %v %v", r, p.Program, err)
		}
		if used := cpuTime() - start; used > 2*time.Second {
			t.Errorf("%.30q…: used %v of the processor", r, used)
		}
	}
	if p, err := Parse(strings.Repeat("rename a to b ", 10_000), Context{}); err == nil {
		t.Errorf("understood %v", p.Program)
	}
}

// TestManyFiles: recognising paths does not slow a request down in a large project.
func TestManyFiles(t *testing.T) {
	var files []string
	for i := range 100_000 {
		files = append(files, fmt.Sprintf("pkg%d/file%d.go", i%1000, i))
	}
	start := cpuTime()
	p, err := Parse("rename Config.Timeout to Deadline in file77777.go",
		Context{Files: files, Target: refactor.Target{File: "x.go"}})
	if err != nil || p.Target.File != "pkg777/file77777.go" {
		t.Fatal(p, err)
	}
	if used := cpuTime() - start; used > time.Second {
		t.Errorf("used %v of the processor", used)
	}
}

// cpuTime is what this process has used of the processor: other programs on the
// machine make a test take longer, but not use more.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Command train makes the built-in model's weights of its seeds and of the symbol tables of
// real source files, and measures them.
//
//	go run ./build/train -o engine/spark/weights.bin     train on all styles
//	go run ./build/train -leave-out dictation                   measure on a style left out
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"waferpair/engine/refactor/golang"
	"waferpair/engine/refactor/treesitter"
	"waferpair/engine/spark/linear"
)

// commonFrom is how often the seeds use a word at least that names a symbol only where a noun
// announces it.
const commonFrom = 6

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run() error {
	o := options{opSize: 1 << 19, slotSize: 1 << 18, seed: 1}
	seedFolder := flag.String("seeds", "build/train/seeds", "the seeds' folder")
	out := flag.String("o", "", "the weights' file")
	flag.IntVar(&o.renders, "renders", 12, "requests made of each seed")
	flag.IntVar(&o.epochs, "epochs", 4, "passes over the requests")
	flag.Float64Var(&o.drop, "drop", 0.5, "share of the features that training leaves out at random")
	flag.Float64Var(&o.rate, "rate", 0.12, "the learning rate")
	flag.StringVar(&o.leaveOut, "leave-out", "", "a style to measure on instead of learning it")
	dev := flag.String("dev", "", "folders of evaluation sets, comma-separated")
	verbose := flag.Bool("v", false, "print what was not understood")
	flag.Parse()
	began := time.Now()
	all, err := readSeeds(*seedFolder)
	if err != nil {
		return err
	}
	var learn, measure []seed
	for _, s := range all {
		if s.style == o.leaveOut {
			measure = append(measure, s)
		} else {
			learn = append(learn, s)
		}
	}
	goroot, err := goRoot()
	if err != nil {
		return err
	}
	roots := []root{
		{"go", filepath.Join(goroot, "src"), []string{".go"}, golang.New()},
		{"python", "/usr/lib/python3.11", []string{".py"}, treesitter.Python()},
		{"ts", "frontend/node_modules", []string{".ts", ".js", ".mjs"}, treesitter.TypeScript()},
	}
	projects, err := readProjects(roots)
	if err != nil {
		return err
	}
	v := words{vocabularyOf(learn, 2), vocabularyOf(learn, commonFrom)}
	examples := generate(learn, projects, v, o)
	fmt.Fprintf(os.Stderr, "%d seeds, %d words, %d requests after %v\n", len(learn), len(v.all), len(examples),
		time.Since(began).Round(time.Second))
	m := train(examples, v, o)
	if len(measure) > 0 {
		held := generate(measure, projects, v, options{renders: 4, seed: 99})
		report(m, held)
	}
	var sets []devSet
	for _, dir := range strings.FieldsFunc(*dev, func(r rune) bool { return r == ',' }) {
		d, err := readDevSet(dir, everyLanguage())
		if err != nil {
			return err
		}
		sets = append(sets, d)
	}
	if len(sets) > 0 {
		evaluate(m, sets, *verbose)
	}
	if *out != "" {
		file, err := m.Marshal()
		if err != nil {
			return err
		}
		if err := os.WriteFile(*out, file, 0o644); err != nil {
			return fmt.Errorf("write the weights: %w", err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d bytes, after %v\n", *out, len(file), time.Since(began).Round(time.Second))
	}
	return nil
}

// goRoot is where Go and its standard library are.
func goRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("ask go for its root: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// report prints how many of the requests the model understands.
func report(m *linear.Model, held []example) {
	n, ops, slots, edits := 0, 0, 0, 0
	for _, e := range held {
		best := m.Guesses(e.words, e.units)[0]
		if e.class == linear.Decline {
			if best.Op != linear.Decline {
				edits++
			}
			continue
		}
		n++
		if best.Op != e.class {
			continue
		}
		ops++
		if e.labels == nil {
			slots++
			continue
		}
		if t := m.Taggings(e.class, e.words, e.units, 1); equal(t[0].Labels, e.labels) {
			slots++
		}
	}
	fmt.Printf("%d requests: operation %.1f %%, all slots %.1f %%; declined %d: %d taken for an operation\n",
		n, 100*float64(ops)/float64(n), 100*float64(slots)/float64(n), len(held)-n, edits)
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

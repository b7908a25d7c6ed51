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
	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/propose"
)

// commonFrom is how often the seeds use a word at least that names a symbol only where a noun
// announces it.
const commonFrom = 20

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
	sequences := flag.String("export", "", "write the decoder's sequences to this folder, and train nothing")
	decoderRenders := flag.Int("decoder-renders", 38, "requests made of each seed for the decoder")
	decoderFile := flag.String("decoder", "", "the decoder's file, to measure both voices")
	weights := flag.String("weights", "", "measure the linear model of this file, and train nothing")
	general := flag.Int("general", 0, "with -weights: operations that a word is used for, to say nothing of any")
	project := flag.String("hear", "", "with -weights: what the voices make of requests about this project, "+
		"one a line of the input; \"@FILE:7-9 \" before one says what is selected")
	packed := flag.String("pack", "",
		"make the decoder's file (-o) of what decoder.py left in this folder, and train nothing")
	verbose := flag.Bool("v", false, "print what was not understood")
	flag.Parse()
	if *packed != "" {
		return pack(*packed, *out)
	}
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
		{"java", ".cache/java", []string{".java"}, treesitter.Java()},
	}
	measured := func(m *linear.Model) error {
		d, err := readDecoder(*decoderFile)
		if err != nil {
			return err
		}
		return measureOn(propose.New(m, d), *dev, everyLanguage(), *verbose)
	}
	if *weights != "" {
		m, err := readWeights(*weights)
		if err != nil {
			return err
		}
		if *general > 0 {
			m.Uses, m.General = usesOf(learn, m.Vocabulary, *general)
		}
		if *project != "" {
			d, err := readDecoder(*decoderFile)
			if err != nil {
				return err
			}
			return hear(propose.New(m, d), *project, everyLanguage())
		}
		return measured(m)
	}
	projects, err := readProjects(roots)
	if err != nil {
		return err
	}
	v := words{vocabularyOf(learn, 2), vocabularyOf(learn, commonFrom)}
	if *sequences != "" {
		made := sequencesOf(learn, projects, v, *decoderRenders, o.seed)
		vocabulary, err := vocabularyFor(made, v)
		if err != nil {
			return err
		}
		return export(*sequences, made, vocabulary)
	}
	examples := generate(learn, projects, v, o)
	fmt.Fprintf(os.Stderr, "%d seeds, %d words, %d requests after %v\n", len(learn), len(v.all), len(examples),
		time.Since(began).Round(time.Second))
	m := train(examples, learn, v, o)
	if len(measure) > 0 {
		held := generate(measure, projects, v, options{renders: 4, seed: 99})
		report(m, held)
	}
	if err := measured(m); err != nil {
		return err
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

func readWeights(name string) (*linear.Model, error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the linear model: %w", err)
	}
	return linear.Unmarshal(file)
}

// readDecoder reads the decoder's file; without a name there is none.
func readDecoder(name string) (*decoder.Decoder, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the decoder: %w", err)
	}
	return decoder.Load(file)
}

// measureOn measures on the evaluation sets in folders, comma-separated.
func measureOn(p *propose.Proposer, folders string, roots []root, verbose bool) error {
	var sets []devSet
	for _, dir := range strings.FieldsFunc(folders, func(r rune) bool { return r == ',' }) {
		d, err := readDevSet(dir, roots)
		if err != nil {
			return err
		}
		sets = append(sets, d)
	}
	if len(sets) > 0 {
		evaluate(p, sets, verbose)
	}
	return nil
}

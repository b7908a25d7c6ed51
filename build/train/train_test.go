package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
	"waferpair/engine/spark/propose"
)

// TestSeeds: every seed can be read, and no evaluation request is one of them.
func TestSeeds(t *testing.T) {
	seeds, err := readSeeds("seeds")
	if err != nil {
		t.Fatal(err)
	}
	classes := map[string]int{}
	for _, s := range seeds {
		classes[s.class]++
	}
	for op := range classes {
		if op != linear.Decline && op != compound && len(propose.Slots(op)) == 0 && op != "sort-imports" {
			t.Errorf("the operation %s has no slots", op)
		}
	}
	if len(seeds) < 3000 || len(classes) < 34 {
		t.Errorf("%d seeds of %d classes", len(seeds), len(classes))
	}
}

// TestFill: the spans of a request's slots hold what was filled in, and the same seed of the
// random numbers gives the same requests.
func TestFill(t *testing.T) {
	table := []link.Symbol{{Name: "parseConfig", Kind: link.Func, File: "a.go", Params: []string{"path"}},
		{Name: "Server", Kind: link.Type, File: "a.go"}, {Name: "Close", Kind: link.Method, Owner: "Server", File: "a.go"},
		{Name: "maxRetries", Kind: link.Const, File: "a.go"}, {Name: "Addr", Kind: link.Field, Owner: "Server", File: "a.go"},
		{Name: "count", Kind: link.Var, File: "a.go"}}
	p := &project{lang: "go", symbols: table, table: link.NewTable(table, []string{"a.go"}), files: []string{"a.go"},
		foreign: []string{"loadAll", "limit"}}
	seeds, err := readSeeds("seeds")
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for range 2 {
		var all []string
		rng := rand.New(rand.NewPCG(7, 7))
		for _, s := range seeds {
			f := filler{rng: rng, p: p}
			text, spans, ok := f.fill(s)
			if !ok {
				t.Errorf("%s: nothing fits", s.place)
				continue
			}
			text, spans = f.frame(s, text, spans)
			all = append(all, text)
			for _, sp := range spans {
				if sp.from >= sp.to || sp.to > len(text) {
					t.Errorf("%s: %q: slot %s at %d to %d", s.place, text, sp.slot, sp.from, sp.to)
				}
			}
		}
		if first != nil && !slices.Equal(first, all) {
			t.Error("the same random numbers gave other requests")
		}
		first = all
	}
}

// TestDevSet: the embedded weights understand the evaluation sets about as well as when they
// were trained. A floor and no goal: 'make spark' prints the figures.
func TestDevSet(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "engine", "spark", "weights.bin"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := linear.Unmarshal(file)
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join("testdata", "dev", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	var sets []devSet
	for _, dir := range dirs {
		d, err := readDevSet(dir, everyLanguage())
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, d)
	}
	all := evaluate(propose.New(m, nil), sets, false)
	if exact := percent(all.exact, all.n); exact < 45 {
		t.Errorf("%.1f %% of %d requests are understood exactly", exact, all.n)
	}
}

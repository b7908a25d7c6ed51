package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

func TestHouse(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, options{dir: "testdata/house", json: true, max: -1}, []string{"."}); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := Report{
		Package: "waferpair/build/layers/testdata/house", Files: 3, Lines: 48,
		// walls.go -> ground.go, walls.go -> roof.go, roof.go -> walls.go
		Pairs: 3, Names: 8 + 1 + 4, ClimbingNames: 1,
		Climbing: []Climb{{"walls.go", "roof.go", []string{"roof"}}},
		Order:    []string{"ground.go", "walls.go", "roof.go"},
		Layers:   [][]string{{"ground.go"}, {"walls.go"}, {"roof.go"}},
		Methods:  []Methods{{"walls", 3}, {"pile", 1}, {"roof", 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyClimb(t *testing.T) {
	for most, fails := range []bool{true, false} {
		err := run(t.Context(), &strings.Builder{}, options{dir: "testdata/house", max: most}, []string{"."})
		if (err != nil) != fails {
			t.Errorf("--max %d: %v", most, err)
		}
	}
}

func TestOtherPackageIsAnError(t *testing.T) {
	err := run(t.Context(), &strings.Builder{}, options{dir: "testdata", max: -1}, []string{"./castle"})
	if err == nil || !strings.Contains(err.Error(), "castle") {
		t.Errorf("a package that is not there: %v", err)
	}
}

// TestOrderIsTheBest holds the search against all orders that there are.
func TestOrderIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "files")
		var list []use
		for from := range n {
			for to := range n {
				if names := rapid.IntRange(0, 2).Draw(t, "names"); from != to && names > 0 {
					list = append(list, use{from, to, make([]string, names)})
				}
			}
		}
		g := newGraph(n, list)
		row := g.order()
		if !slices.Equal(slices.Sorted(slices.Values(row)), upTo(n)) {
			t.Fatalf("the order of %d files is %v", n, row)
		}
		least := g.cost(row)
		everyOrder(upTo(n), 0, func(other []int) {
			if c := g.cost(other); c < least {
				t.Fatalf("%v climbs by %d, %v by %d only", row, least, other, c)
			}
		})
	})
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func everyOrder(row []int, from int, see func([]int)) {
	if from == len(row) {
		see(row)
		return
	}
	for i := from; i < len(row); i++ {
		row[from], row[i] = row[i], row[from]
		everyOrder(row, from+1, see)
		row[from], row[i] = row[i], row[from]
	}
}

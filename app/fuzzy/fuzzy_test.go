package fuzzy

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

// slowScore tries every way to match the letters, directly by the table in the package
// comment.
func slowScore(q *Query, n *Name) (best int, ok bool) {
	best = impossible
	var try func(i, last, sum int)
	try = func(i, last, sum int) {
		if i == len(q.lower) {
			best, ok = max(best, sum), true
			return
		}
		for at := last + 1; at < len(n.lower); at++ {
			if n.lower[at] != q.lower[i] {
				continue
			}
			s := sum + letter + n.bonus(at, q.text[i])
			if i > 0 {
				s += step(last, at)
			}
			try(i+1, at, s)
		}
	}
	try(0, -1, 0)
	return best, ok
}

func slowSearch(query string, names []Name, limit int) (out []Hit, total int) {
	q := NewQuery(query)
	for i := range names {
		score, ok := slowScore(q, &names[i])
		if q.Empty() {
			score, ok = 0, true
		}
		if ok {
			out = append(out, Hit{i, score})
		}
	}
	if !q.Empty() {
		slices.SortStableFunc(out, func(a, b Hit) int {
			x, y := names[a.Index].text, names[b.Index].text
			return cmp.Or(b.Score-a.Score, len(x)-len(y), strings.Compare(x, y))
		})
	}
	return out[:min(limit, len(out))], len(out)
}

func TestSearchFindsWhatTryingEverythingFinds(t *testing.T) {
	letters := []rune("aAbBc/_1.é")
	rapid.Check(t, func(t *rapid.T) {
		var names []Name
		late := rapid.Bool().Draw(t, "late")                         // the search prepares the names that it needs
		fewest := rapid.SampledFrom([]int{0, 100}).Draw(t, "fewest") // enough for the search to skip hopeless ones
		for _, s := range rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom(letters), 0, 10, -1),
			fewest, fewest+40).Draw(t, "names") {
			if late {
				names = append(names, Late(s, strings.LastIndexByte(s, '/')+1))
			} else {
				names = append(names, NewName(s))
			}
		}
		query := rapid.StringOfN(rapid.RuneFrom(append(letters, ' ')), 0, 5, -1).Draw(t, "query")
		limit := rapid.IntRange(0, 12).Draw(t, "limit")
		got, total := Search(query, names, limit)
		for i := range names {
			names[i].prepare()
		}
		want, wantTotal := slowSearch(query, names, limit)
		if total != wantTotal || !slices.Equal(got, want) {
			t.Fatalf("got %v of %d, want %v of %d", got, total, want, wantTotal)
		}
		q := NewQuery(query)
		for _, h := range got {
			checkMatch(t, q, &names[h.Index], h.Score)
		}
	})
}

// checkMatch computes the score again from the matched places.
func checkMatch(t *rapid.T, q *Query, n *Name, score int) {
	at := q.Match(n)
	sum := 0
	for i, p := range at {
		if n.lower[p] != q.lower[i] {
			t.Fatalf("letter %d of %q is not at %d of %q", i, q.text, p, n.text)
		}
		sum += letter + n.bonus(p, q.text[i])
		if i > 0 {
			sum += step(at[i-1], p)
		}
	}
	if sum != score || len(at) != len(q.lower) {
		t.Fatalf("%q in %q: the places %v make %d, not %d", q.text, n.text, at, sum, score)
	}
}

// TestTheOrderIsTheSameOnAnyNumberOfProcessors, also of equal names.
func TestTheOrderIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	names := make([]Name, 5*shareFrom)
	for i := range names {
		names[i] = NewName([]string{"run", "a/run", "a run", "running", "stop"}[i*7%5])
	}
	const limit = 100
	want, wantTotal := slowSearch("run", names, limit)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for n := range 5 {
		runtime.GOMAXPROCS(n + 1)
		if got, total := Search("run", names, limit); total != wantTotal || !slices.Equal(got, want) {
			t.Errorf("with %d processors: %v of %d, want %v of %d", n+1, got, total, want, wantTotal)
		}
	}
}

func TestTheLikelyNameComesFirst(t *testing.T) {
	files := []string{"app/server/server.go", "app/project.go", "app/server/reads_project.go", "engine/project.go",
		"history/sql/sql.go", "README.md", "frontend/src/views/ReviewView.svelte", "history/review.go", "app/user_by_city.go",
		"internal/club/cube.go"}
	names := make([]Name, len(files))
	for i, f := range files {
		names[i] = NewName(f)
	}
	for query, want := range map[string]string{
		"project": "app/project.go", "engproj": "engine/project.go", "server": "app/server/server.go", "readme": "README.md",
		"ubc": "app/user_by_city.go", "RV": "frontend/src/views/ReviewView.svelte", "hist review": "history/review.go",
		`app\proj`: "app/project.go",
	} {
		hits, _ := Search(query, names, 1)
		if len(hits) != 1 || files[hits[0].Index] != want {
			t.Errorf("%q finds %v, want %s", query, hits, want)
		}
	}
}

func manyNames(n int) []Name {
	dirs := []string{"src", "internal/platform", "packages/core/lib", "vendor/github.com/acme", "app/components",
		"test/fixtures", "services/billing"}
	words := []string{"user", "Account", "handler", "config", "render", "Button", "server", "stream", "index", "model",
		"parser", "invoice"}
	names := make([]Name, n)
	for i := range names {
		names[i] = NewName(fmt.Sprintf("%s/%s%d/%s_%s_%d.go", dirs[i%len(dirs)], words[i/7%len(words)], i%311,
			words[i/3%len(words)], words[i/5%len(words)], i))
	}
	return names
}

func BenchmarkSearch100k(b *testing.B) {
	names := manyNames(100_000)
	for _, query := range []string{"s", "se", "ser", "config", "usrhdl", "billing/parser42", "zzz"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				Search(query, names, 50)
			}
		})
	}
}

package wafer

import (
	"errors"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"waferpair/wafer/machine"
	"waferpair/wafer/transformer"
)

// TestPresetsArePlaced checks that every preset's placement keeps all rules.
func TestPresetsArePlaced(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	for i, m := range Presets() {
		for _, hw := range []Machine{machine.WSE2(), machine.WSE3()} {
			for _, objective := range objectives[i%3 : i%3+1] {
				r := Request{Machine: hw, Model: m, Objective: objective}
				p, err := Place(r)
				if err != nil {
					t.Errorf("%s on %s for %s: %v", m.Name, hw.Name, objective, err)
					continue
				}
				full, a, err := r.complete()
				if err == nil {
					err = broken(full, a, p)
				}
				if err != nil {
					t.Errorf("%s on %s for %s: %v", m.Name, hw.Name, objective, err)
				}
			}
		}
	}
}

// TestRandomPlacements places random small models on random machines: an accepted placement
// keeps all rules and is the best possible; a refused request has none.
func TestRandomPlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	placed, refused := 0, 0
	for seed := range int64(200) {
		if tryRandom(t, rand.New(rand.NewSource(seed)), fmt.Sprintf("seed %d", seed)) {
			placed++
		} else {
			refused++
		}
	}
	if placed < 60 || refused < 40 {
		t.Errorf("%d placed, %d refused: one of them is hardly tried", placed, refused)
	}
}

func FuzzPlacement(f *testing.F) {
	f.Add(int64(1))
	f.Fuzz(func(t *testing.T, seed int64) {
		tryRandom(t, rand.New(rand.NewSource(seed)), fmt.Sprintf("seed %d", seed))
	})
}

// tryRandom reports whether the random request could be placed.
func tryRandom(t *testing.T, rnd *rand.Rand, name string) bool {
	t.Helper()
	r := randomRequest(rnd)
	p, err := Place(r)
	full, a, wrong := r.complete()
	if wrong != nil {
		t.Fatalf("%s: a random request is wrong: %v", name, wrong)
	}
	if err != nil {
		checkRefusal(t, name, full, a, err)
		return false
	}
	if wrong := broken(full, a, p); wrong != nil {
		t.Errorf("%s: %v\n%+v", name, wrong, r.Model)
	}
	s := newSearch(full, a, newTimes(full.Machine))
	got, _ := s.run()
	best, ok := bruteForce(full, a)
	if !ok || math.Abs(s.price(got)/s.price(best)-1) > 1e-12 {
		t.Errorf("%s: %s with price %g; %s has %g", name, s.describe(got), s.price(got), s.describe(best), s.price(best))
	}
	return true
}

func checkRefusal(t *testing.T, name string, r Request, a Assumptions, err error) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Errorf("%s: %v is no refusal", name, err)
		return
	}
	best, ok := bruteForce(r, a)
	if ok && refusal.Kind != TooManyColors {
		t.Errorf("%s: refused (%v), but there are %d regions of %d x %d", name, err, best.regions, best.P, best.P)
	}
	if refusal.Kind == TooLittleSRAM && refusal.ShortBytes <= 0 {
		t.Errorf("%s: %v is short of %d bytes", name, err, refusal.ShortBytes)
	}
}

func randomRequest(rnd *rand.Rand) Request {
	pick := func(of ...int) int { return of[rnd.Intn(len(of))] }
	hw := machine.Test(1+rnd.Intn(10), 1+rnd.Intn(10))
	hw.SRAMBytes, hw.ReservedBytes = pick(2<<10, 8<<10, 48<<10), pick(0, 1<<10)
	hw.Colors = pick(8, 24, 24, 24)
	hw.Timing.Reconfigure = float64(pick(0, 500))
	kv := pick(1, 2)
	m := transformer.Config{Name: "random", BlockCount: 1 + rnd.Intn(9), EmbeddingLength: 8 * (1 + rnd.Intn(12)),
		HeadCount: kv * pick(1, 2), HeadCountKV: kv, KeyLength: 2 * (1 + rnd.Intn(16)),
		FeedForwardLength: 1 + rnd.Intn(200), VocabSize: 1 + rnd.Intn(2000), TieWordEmbeddings: rnd.Intn(2) == 0,
		BitsPerWeight: []float64{16, 8, 4.25}[rnd.Intn(3)]}
	if rnd.Intn(4) == 0 {
		m.ExpertCount = 1 + rnd.Intn(6)
		m.ExpertUsedCount = 1 + rnd.Intn(m.ExpertCount)
	}
	r := Request{Timing: Published, Machine: hw, Model: m, Input: 1 + rnd.Intn(100), Output: 1 + rnd.Intn(20),
		Assume: []string{"low", "high"}[rnd.Intn(2)]}
	if rnd.Intn(3) == 0 {
		r.Wafers = 1 + rnd.Intn(4)
	}
	if rnd.Intn(4) == 0 {
		r.DecodeMesh = 1 + rnd.Intn(min(hw.Width, hw.Height))
	}
	r.Objective = objectives[rnd.Intn(3)]
	return r
}

// bruteForce tries every side, number of regions, place and number of regions for the
// tables, by the rules alone.
func bruteForce(r Request, a Assumptions) (best candidate, found bool) {
	s := newSearch(r, a, newTimes(r.Machine))
	width, height := r.Machine.Usable()
	for p := 1; p <= min(width, height); p++ {
		if r.DecodeMesh > 0 && p != r.DecodeMesh {
			continue
		}
		for regions := 1; regions <= r.Model.BlockCount; regions++ {
			for _, spot := range []tableSpot{inLayers, inSlots, rightStrip, bottomStrip} {
				for head := 1; head <= 30; head++ {
					c := candidate{cut: cut{grid: grid{width, height, p}, regions: regions, spot: spot, head: head},
						users: s.users(regions)}
					if ceil(r.Model.BlockCount, ceil(r.Model.BlockCount, regions)) != regions || !obeys(s, &c) {
						continue
					}
					s.time(&c, s.layerCycles(p))
					if !found || s.price(c) < s.price(best) {
						best, found = c, true
					}
				}
			}
		}
	}
	return best, found
}

// obeys lays a candidate out and checks the rules.
func obeys(s *search, c *candidate) bool {
	side, most := c.tables(c.spot)
	if c.spot == inLayers {
		if c.head, c.embedding = 0, 0; c.regions > 1 {
			return false
		}
	} else {
		first := 1 // the fewest that hold the table: of the embedding always, of the head unless eight do
		for first <= most && tableBytes(s.Model, side, first) > s.room {
			first++
		}
		if c.head < first || c.head > max(first, 8) || c.head > most {
			return false
		}
		if !s.Model.TieWordEmbeddings {
			c.embedding = first
		}
	}
	for c.wafers = 1; c.wafers <= s.limit() && c.wafers <= 24; c.wafers++ {
		p := s.placement(*c)
		p.Colors = nil
		inRange := true
		for _, region := range p.Regions {
			inRange = inRange && region.Wafer < c.wafers
		}
		if inRange && broken(s.Request, s.assume, p) == nil {
			return true
		}
	}
	return false
}

// TestRefusals checks that the error for an impossible placement states the reason and what
// would fit.
func TestRefusals(t *testing.T) {
	wse3, big := machine.WSE3(), mustPreset("llama3-70b")
	huge := big
	huge.Name, huge.FeedForwardLength = "huge", 1<<20
	small := mustPreset("qwen2.5-coder-0.5b")
	noColors := machine.Test(100, 100)
	noColors.Colors = 20
	for _, c := range []struct {
		name string
		r    Request
		kind RefusalKind
		says []string
	}{
		{"mesh", Request{Machine: wse3, Model: small, DecodeMesh: 2000}, MeshTooLarge, []string{"2000 x 2000", "755 x 1170",
			"nearest that fits: a mesh of 755"}},
		{"waferllm mesh", Request{Machine: machine.WSE2(), Model: small, Layout: WaferLLM, PrefillMesh: 751}, MeshTooLarge,
			[]string{"prefill mesh of 751", "750 x 994"}},
		{"one layer", Request{Machine: wse3, Model: huge}, TooLittleSRAM, []string{"fits on no number of wafers",
			"SRAM is short by"}},
		{"region", Request{Machine: wse3, Model: big, DecodeMesh: 100}, TooLittleSRAM,
			[]string{"regions of 100 x 100", "SRAM is short by", "nearest that fits:"}},
		{"context", Request{Machine: wse3, Model: big, Context: 1 << 29}, TooLittleSRAM,
			[]string{"with a context of 536870912", "nearest that fits: a context of"}},
		{"wafers", Request{Machine: wse3, Model: big, Wafers: 2}, TooFewWafers,
			[]string{"2 may be used", "nearest that fits:"}},
		{"waferllm tile", Request{Machine: machine.WSE2(), Model: big, Layout: WaferLLM, DecodeMesh: 60}, TooLittleSRAM,
			[]string{"decode mesh of 60 x 60", "short by", "nearest that fits: a mesh of"}},
		{"colors of both phases", Request{Machine: machine.WSE2(), Model: big, BothPhases: true}, TooManyColors,
			[]string{"35 colors of 24", "MeshGEMM 12", "route reconfiguration between prefill and decode, with 23"}},
		{"colors of decode", Request{Machine: noColors, Model: small, Assume: "high"}, TooManyColors,
			[]string{"colors of 20"}},
	} {
		_, err := Place(c.r)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Kind != c.kind {
			t.Errorf("%s: %v is not %q", c.name, err, c.kind)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", c.name, err, part)
			}
		}
	}
}

// TestBadRequests checks that the errors for invalid requests state valid values.
func TestBadRequests(t *testing.T) {
	ok := Request{Machine: machine.WSE3(), Model: mustPreset("llama3-8b")}
	for _, c := range []struct {
		change func(r *Request)
		says   string
	}{
		{func(r *Request) { r.Model.BlockCount = 0 }, "layers is 0"},
		{func(r *Request) { r.Model.EmbeddingLength = -1 }, "width is -1"},
		{func(r *Request) { r.Model.KeyLength = 7 }, "head size is 7"},
		{func(r *Request) { r.Model.BitsPerWeight = math.NaN() }, "NaN bits"},
		{func(r *Request) { r.Machine.HaloRows = 9999 }, "height without halo is"},
		{func(r *Request) { r.Machine.Clocks = nil }, "needs a positive clock"},
		{func(r *Request) { r.DecodeMesh = -5 }, "decode mesh is -5"},
		{func(r *Request) { r.Context = -1 }, "context is -1"},
		{func(r *Request) { r.Input, r.Context = 4096, 4096 }, "the context has to be 4224 or more"},
		{func(r *Request) { r.ClockGHz = math.NaN() }, "clock is NaN"},
		{func(r *Request) { r.Layout = "random" }, `no layout is called "random"`},
		{func(r *Request) { r.Assume = "best" }, `no assumptions are called "best"`},
		{func(r *Request) { r.Objective = "fun" }, `no objective is called "fun"`},
		{func(r *Request) { r.PrefillMesh = 100 }, "only in layout waferllm"},
	} {
		r := ok
		c.change(&r)
		if _, err := Estimate(r); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want %q", err, c.says)
		}
	}
}

// TestColors checks the colors of WaferLLM's kernels, as read in its code.
func TestColors(t *testing.T) {
	for _, c := range []struct {
		hw   Machine
		want int
	}{{machine.WSE2(), 21}, {machine.WSE3(), 6}} {
		p, err := Place(Request{Machine: c.hw, Model: mustPreset("llama3-8b"), Layout: WaferLLM, DecodeMesh: 420,
			PrefillMesh: 480})
		if err != nil || countColors(p.Colors) != c.want {
			t.Errorf("%s: %d colors, not %d (%v)", c.hw.Name, countColors(p.Colors), c.want, err)
		}
	}
}

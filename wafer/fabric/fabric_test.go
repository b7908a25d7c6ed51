package fabric

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"waferpair/wafer/clock"
)

// net is a fabric of random trees, each with a source, and cores that send and receive at
// random times.
type net struct {
	f       *Fabric
	sources map[At][]Color
	sinks   map[At][]Color
	send    int // wavelets of each source
}

// newNet lays a random tree for each color: from a random core it grows over links, and
// some of the cores that it reaches receive from it.
func newNet(t *testing.T, seed uint64) net {
	r := rand.New(rand.NewPCG(seed, 3))
	config := Config{Width: 1 + r.IntN(6), Height: 1 + r.IntN(6), Colors: 1 + r.IntN(6), Switches: 0,
		Hop: 1 + r.IntN(3), Ramp: 1 + r.IntN(3), LinkDepth: 1 + r.IntN(4), InDepth: 1 + r.IntN(4), OutDepth: 1 + r.IntN(4)}
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	n := net{f: f, sources: map[At][]Color{}, sinks: map[At][]Color{}, send: 1 + r.IntN(60)}
	for c := range Color(config.Colors) {
		n.grow(t, r, c)
	}
	return n
}

func (n net) grow(t *testing.T, r *rand.Rand, c Color) {
	root := r.IntN(n.f.routers())
	routes := map[int]*Route{root: {Rx: Of(Ramp)}}
	reached := []int{root}
	for range r.IntN(3 * n.f.routers()) {
		from := reached[r.IntN(len(reached))]
		p := North + Port(r.IntN(4))
		to := n.f.neighbour(from, p)
		if to < 0 || routes[to] != nil {
			continue
		}
		routes[from].Tx |= Of(p)
		routes[to] = &Route{Rx: Of(p.Opposite())}
		reached = append(reached, to)
	}
	for _, id := range reached {
		if routes[id].Tx == 0 || r.IntN(2) == 0 {
			routes[id].Tx |= Of(Ramp)
			n.sinks[n.f.at(id)] = append(n.sinks[n.f.at(id)], c)
		}
		if err := n.f.SetRoute(n.f.at(id), c, false, *routes[id]); err != nil {
			t.Fatal(err)
		}
	}
	n.sources[n.f.at(root)] = append(n.sources[n.f.at(root)], c)
}

// landing is a wavelet that a core received.
type landing struct {
	at    At
	color Color
	data  uint32
	cycle clock.Cycle
}

// cores runs a band's cores until a cycle; each has its own random numbers.
type cores struct {
	net
	band *Band
	dice []*rand.Rand
	sent map[At]map[Color]int
	log  []landing
	till clock.Cycle // gives up then
}

func (c *cores) Step(t clock.Cycle) {
	c.band.Step(t)
	from, to := c.band.Range()
	for id := from; id < to; id++ {
		c.core(t, id, c.dice[id-from])
	}
}

func (c *cores) core(t clock.Cycle, id int, r *rand.Rand) {
	at := c.f.at(id)
	for _, color := range c.sources[at] {
		if c.sent[at][color] < c.send && r.IntN(3) > 0 && c.f.Room(id, color) > 0 {
			c.band.Put(t+1, id, color, Wavelet{Data: uint32(color)<<16 | uint32(c.sent[at][color])})
			c.sent[at][color]++
		}
	}
	for _, color := range c.sinks[at] {
		if r.IntN(4) == 0 && c.f.Ready(t, id, color, 1) == 1 {
			c.log = append(c.log, landing{at, color, c.band.Take(id, color).Data, t})
		}
	}
}

func (c *cores) Collect(t clock.Cycle) clock.Cycle {
	c.band.Collect(t)
	if t >= c.till || c.done() {
		return c.band.Next()
	}
	return t + 1
}

// done reports whether the band's cores have sent and received everything.
func (c *cores) done() bool {
	from, to := c.band.Range()
	due := 0
	for id := from; id < to; id++ {
		at := c.f.at(id)
		for _, color := range c.sources[at] {
			due += c.send - c.sent[at][color]
		}
		due += c.send * len(c.sinks[at])
	}
	return due == len(c.log)
}

// drive runs a net and returns what each core received.
func drive(t *testing.T, seed uint64, workers int, slow bool) (net, map[At][]landing) {
	n := newNet(t, seed)
	bands, err := n.f.Start(workers, slow)
	if err != nil {
		t.Fatal(err)
	}
	var list []clock.Band
	for _, b := range bands {
		from, to := b.Range()
		c := &cores{net: n, band: b, sent: map[At]map[Color]int{}, till: clock.Cycle(1000 + 100*n.send)}
		for id := from; id < to; id++ {
			c.sent[n.f.at(id)] = map[Color]int{}
			c.dice = append(c.dice, rand.New(rand.NewPCG(seed, uint64(id))))
		}
		list = append(list, c)
	}
	if _, err := clock.Run(context.Background(), list, clock.Limits{Workers: workers}); err != nil {
		t.Fatal(err)
	}
	landed := map[At][]landing{}
	for _, b := range list {
		for _, l := range b.(*cores).log {
			landed[l.at] = append(landed[l.at], l)
		}
	}
	return n, landed
}

// TestNothingIsLostOrDoubled checks that, whatever the routes and however slow the cores,
// every core receives all wavelets of its color's source, once, in order, and that no
// wavelet is left on the way.
func TestNothingIsLostOrDoubled(t *testing.T) {
	for seed := range uint64(40) {
		n, landed := drive(t, seed, 1, false)
		for at, colors := range n.sinks {
			next := map[Color]int{}
			for _, l := range landed[at] {
				if want := uint32(l.color)<<16 | uint32(next[l.color]); l.data != want {
					t.Fatalf("seed %d: core %v got %x of color %d, want %x", seed, at, l.data, l.color, want)
				}
				next[l.color]++
			}
			for _, c := range colors {
				if next[c] != n.send {
					t.Fatalf("seed %d: core %v got %d wavelets of color %d, of %d", seed, at, next[c], c, n.send)
				}
			}
		}
		if stuck := n.f.Stuck(); len(stuck) > 0 {
			t.Fatalf("seed %d: %v", seed, stuck)
		}
	}
}

func TestLandingsAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	for seed := range uint64(4) {
		_, one := drive(t, seed, 1, false)
		for _, workers := range []int{2, 3, 8} {
			if _, many := drive(t, seed, workers, false); !reflect.DeepEqual(one, many) {
				t.Fatalf("seed %d: with %d workers, cores got other wavelets or at other times", seed, workers)
			}
		}
	}
}

// TestWaysAreThoseThatAreLookedUp checks that wavelets that follow the ways found before a
// run land, and are counted, as those whose way is looked up one by one.
func TestWaysAreThoseThatAreLookedUp(t *testing.T) {
	for seed := range uint64(40) {
		slow, landed := drive(t, seed, 1, true)
		fast, got := drive(t, seed, 1, false)
		if !reflect.DeepEqual(got, landed) {
			t.Fatalf("seed %d: cores got other wavelets or at other times", seed)
		}
		for r := range fast.f.routers() {
			at := fast.f.at(r)
			if got, want := fast.f.StatsAt(at), slow.f.StatsAt(at); got != want {
				t.Fatalf("seed %d: router %v counted %+v, want %+v", seed, at, got, want)
			}
		}
	}
}

// line returns a fabric of one row.
func line(t *testing.T, width int) *Fabric {
	t.Helper()
	f, err := New(Config{Width: width, Height: 1, Colors: 4, Switches: 2, Hop: 1, Ramp: 2, LinkDepth: 2,
		InDepth: 2, OutDepth: 2})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func lay(t *testing.T, f *Fabric, x int, c Color, ring bool, positions ...Route) {
	t.Helper()
	if err := f.SetRoute(At{X: x}, c, ring, positions...); err != nil {
		t.Fatal(err)
	}
}

// spin steps a fabric by hand; do sends and receives.
func spin(t *testing.T, f *Fabric, cycles int, do func(b *Band, now clock.Cycle)) {
	t.Helper()
	bands, err := f.Start(1, false)
	if err != nil {
		t.Fatal(err)
	}
	for now := range clock.Cycle(cycles) {
		bands[0].Step(now)
		do(bands[0], now)
		bands[0].Collect(now)
	}
}

// TestControlWaveletsMoveSwitches checks that a control wavelet moves the switches on its
// way one position on: of core 1, from its own wavelets to those of core 0, and in a ring
// back again.
func TestControlWaveletsMoveSwitches(t *testing.T) {
	east := Of(East)
	for _, ring := range []bool{false, true} {
		f := line(t, 3)
		lay(t, f, 0, 0, false, Route{Of(Ramp), east})
		lay(t, f, 1, 0, ring, Route{Of(Ramp), east}, Route{Of(West), east})
		lay(t, f, 2, 0, false, Route{Of(West), Of(Ramp)})
		own := []Wavelet{{Data: 11}, {Control: true}, {Data: 12}}
		other := []Wavelet{{Data: 21}, {Control: true}}
		var got []Wavelet
		spin(t, f, 60, func(b *Band, now clock.Cycle) {
			if len(other) > 0 && f.Room(0, 0) > 0 {
				b.Put(now+1, 0, 0, other[0])
				other = other[1:]
			}
			if len(own) > 0 && now > 8 && f.Room(1, 0) > 0 {
				b.Put(now+1, 1, 0, own[0])
				own = own[1:]
			}
			if f.Ready(now, 2, 0, 1) == 1 {
				got = append(got, b.Take(2, 0))
			}
		})
		want := []Wavelet{{Data: 11}, {Control: true}, {Data: 21}, {Control: true}}
		if ring {
			want = append(want, Wavelet{Data: 12})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("ring %v: core 2 got %v, want %v", ring, got, want)
		}
		stuck := f.Stuck()
		switch {
		case ring && len(stuck) > 0:
			t.Errorf("stuck in a ring of positions: %v", stuck)
		case !ring && (len(stuck) != 1 || stuck[0].At != At{X: 1} ||
			!strings.Contains(stuck[0].Reason, "position 1 of 2 takes from W")):
			t.Errorf("the last position stays; stuck: %v", stuck)
		}
	}
}

// TestBackPressureIsExplained checks that a core that receives nothing blocks all wavelets
// behind it, and that the reasons name it.
func TestBackPressureIsExplained(t *testing.T) {
	f := line(t, 3)
	lay(t, f, 0, 3, false, Route{Of(Ramp), Of(East)})
	lay(t, f, 1, 3, false, Route{Of(West), Of(East)})
	lay(t, f, 2, 3, false, Route{Of(West), Of(Ramp)})
	sent := 0
	spin(t, f, 100, func(b *Band, now clock.Cycle) {
		if f.Room(0, 3) > 0 {
			b.Put(now+1, 0, 3, Wavelet{})
			sent++
		}
	})
	// The queues on the way, and the wavelets on the links and ramps.
	if want := (2 + 2) + (2 + 1) + (2 + 1) + (2 + 2); sent != want {
		t.Errorf("%d wavelets found room, want %d", sent, want)
	}
	reasons := ""
	for _, s := range f.Stuck() {
		reasons += s.String() + "\n"
	}
	for _, want := range []string{"at (2,0) from W: the core does not take it",
		"at (1,0) from W: the queue at (2,0) is full", "at (0,0) from RAMP: the queue at (1,0) is full"} {
		if !strings.Contains(reasons, want) {
			t.Errorf("no %q in\n%s", want, reasons)
		}
	}
}

// TestColorsShareALink checks that colors that need the same link take turns.
func TestColorsShareALink(t *testing.T) {
	f := line(t, 2)
	got := map[Color]int{}
	for c := range Color(2) {
		lay(t, f, 0, c, false, Route{Of(Ramp), Of(East)})
		lay(t, f, 1, c, false, Route{Of(West), Of(Ramp)})
	}
	spin(t, f, 210, func(b *Band, now clock.Cycle) {
		for c := range Color(2) {
			if f.Room(0, c) > 0 {
				b.Put(now+1, 0, c, Wavelet{})
			}
			if f.Ready(now, 1, c, 1) == 1 {
				b.Take(1, c)
				got[c]++
			}
		}
	})
	if d := got[0] - got[1]; got[0]+got[1] < 195 || got[0]+got[1] > 210 || d < -1 || d > 1 {
		t.Errorf("in 210 cycles, of each color: %v", got)
	}
}

// TestLinksTakeOneWaveletACycle checks that one wavelet a cycle passes a link, and a ramp
// in each direction, whatever the colors.
func TestLinksTakeOneWaveletACycle(t *testing.T) {
	f, err := New(Config{Width: 3, Height: 1, Colors: 4, Hop: 1, Ramp: 1, LinkDepth: 8, InDepth: 8, OutDepth: 8})
	if err != nil {
		t.Fatal(err)
	}
	for c, way := range []Port{East, West} { // core 1 sends both ways
		lay(t, f, 1, Color(c), false, Route{Of(Ramp), Of(way)})
		lay(t, f, 2-2*c, Color(c), false, Route{Of(way.Opposite()), Of(Ramp)})
	}
	for c, from := range []int{0, 2} { // and receives from both sides
		out := []Port{East, West}[c]
		lay(t, f, from, Color(2+c), false, Route{Of(Ramp), Of(out)})
		lay(t, f, 1, Color(2+c), false, Route{Of(out.Opposite()), Of(Ramp)})
	}
	spin(t, f, 100, func(b *Band, now clock.Cycle) {
		for core := range 3 {
			for c := range Color(4) {
				if f.Room(core, c) > 0 {
					b.Put(now+1, core, c, Wavelet{})
				}
				if f.Ready(now, core, c, 1) == 1 {
					b.Take(core, c)
				}
			}
		}
	})
	s := f.StatsAt(At{X: 1})
	if out := s.Hops(); out < 90 || out > 100 {
		t.Errorf("core 1 sent %d wavelets in 100 cycles", out)
	}
	if in := s.Delivered(); in < 90 || in > 100 {
		t.Errorf("core 1 got %d wavelets in 100 cycles", in)
	}
}

func TestRoutesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		says string
		lay  func(*Fabric) error
	}{
		{"outside", func(f *Fabric) error { return f.SetRoute(At{X: 3}, 0, false, Route{Of(Ramp), Of(West)}) }},
		{"there are 4 colors", func(f *Fabric) error { return f.SetRoute(At{}, 4, false, Route{Of(Ramp), Of(East)}) }},
		{"where the mesh ends", func(f *Fabric) error { return f.SetRoute(At{}, 0, false, Route{Of(Ramp), Of(North)}) }},
		{"passes back", func(f *Fabric) error { return f.SetRoute(At{X: 1}, 0, false, Route{Of(East), Of(East)}) }},
		{"only colors 0 to 1 have switches", func(f *Fabric) error {
			return f.SetRoute(At{}, 2, false, Route{Of(Ramp), Of(East)}, Route{Of(East), Of(Ramp)})
		}},
		{"5 switch positions", func(f *Fabric) error { return f.SetRoute(At{}, 0, false, make([]Route, 5)...) }},
		{"0 switch positions", func(f *Fabric) error { return f.SetRoute(At{}, 0, false) }},
	} {
		if err := c.lay(line(t, 3)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want an error about %q", err, c.says)
		}
	}
}

func TestALoopingRouteIsRefused(t *testing.T) {
	f, err := New(Config{Width: 2, Height: 2, Colors: 1, Hop: 1, Ramp: 1, LinkDepth: 1, InDepth: 1, OutDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	for at, r := range map[At]Route{{0, 0}: {Of(South), Of(East)}, {1, 0}: {Of(West), Of(South)},
		{1, 1}: {Of(North), Of(West)}, {0, 1}: {Of(East), Of(North)}} {
		if err := f.SetRoute(at, 0, false, r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Start(1, false); err == nil ||
		!strings.Contains(err.Error(), "color 0 loops: [(0,0) (1,0) (1,1) (0,1) (0,0)]") {
		t.Errorf("a loop: %v", err)
	}
}

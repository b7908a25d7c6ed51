package fabric

import "fmt"

// Route is the ports from which a router receives the wavelets of a color and those to
// which it passes them. The zero Route receives nothing.
type Route struct {
	Rx Ports
	Tx Ports
}

// MaxPositions is how many routes a color may switch between at a router.
const MaxPositions = 4

// channel is a color at a router: its switch positions and the current one.
type channel struct {
	positions [MaxPositions]Route
	count     uint8
	now       uint8
	ring      bool // the first position follows the last
}

// SetRoute sets the route of a color at a place. Several routes are the positions of a
// switch; ring means that the first follows the last. Routes must be set before Start.
func (f *Fabric) SetRoute(at At, c Color, ring bool, positions ...Route) error {
	if err := f.routable(at, c, positions); err != nil {
		return fmt.Errorf("route of color %d at %v: %w", c, at, err)
	}
	ch := channel{count: uint8(len(positions)), ring: ring}
	copy(ch.positions[:], positions)
	f.channels[f.id(at)*MaxColors+int(c)] = ch
	return nil
}

func (f *Fabric) routable(at At, c Color, positions []Route) error {
	switch {
	case at.X < 0 || at.Y < 0 || at.X >= f.width || at.Y >= f.height:
		return fmt.Errorf("outside the %d x %d mesh", f.width, f.height)
	case int(c) >= f.config.Colors:
		return fmt.Errorf("there are %d colors", f.config.Colors)
	case f.queues != nil:
		return fmt.Errorf("the fabric has been started")
	case len(positions) == 0 || len(positions) > MaxPositions:
		return fmt.Errorf("%d switch positions; a color has 1 to %d", len(positions), MaxPositions)
	case len(positions) > 1 && int(c) >= f.config.Switches:
		return fmt.Errorf("only colors 0 to %d have switches", f.config.Switches-1)
	}
	for _, r := range positions {
		for p := North; p < ports; p++ {
			if r.Tx.Has(p) && f.neighbour(f.id(at), p) < 0 {
				return fmt.Errorf("it passes to %v, where the mesh ends", p)
			}
		}
		if r.Rx&r.Tx&^Of(Ramp) != 0 {
			return fmt.Errorf("it passes back to %v, where it takes from", r.Rx&r.Tx)
		}
	}
	return nil
}

// Route returns the present route of a color at a place.
func (f *Fabric) Route(at At, c Color) Route {
	ch := &f.channels[f.id(at)*MaxColors+int(c)]
	return ch.positions[ch.now]
}

// loop looks for a color whose static routes lead a wavelet in a circle, and returns an
// error with the places. It ignores colors with switches, whose circles may be open at any
// time; a run detects those that never open (Stuck).
func (f *Fabric) loop() error {
	seen := make([]mark, f.routers())
	for c := range Color(f.config.Colors) {
		clear(seen)
		for r := range f.routers() {
			if path := f.circle(r, c, seen); path != nil {
				return fmt.Errorf("the route of color %d loops: %v", c, path)
			}
		}
	}
	return nil
}

type mark uint8

const (
	onPath mark = iota + 1
	done
)

// circle follows the links of a color from router r, depth first, and returns the path if
// it comes back to itself.
func (f *Fabric) circle(r int, c Color, seen []mark) []At {
	ch := &f.channels[r*MaxColors+int(c)]
	switch {
	case seen[r] == done || ch.count != 1:
		return nil
	case seen[r] == onPath:
		return []At{f.at(r)}
	}
	seen[r] = onPath
	for p := North; p < ports; p++ {
		if !ch.positions[0].Tx.Has(p) {
			continue
		}
		n := f.neighbour(r, p)
		next := &f.channels[n*MaxColors+int(c)]
		if !next.positions[0].Rx.Has(p.Opposite()) {
			continue
		}
		if path := f.circle(n, c, seen); path != nil {
			return append([]At{f.at(r)}, path...)
		}
	}
	seen[r] = done
	return nil
}

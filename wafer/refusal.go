package wafer

import "fmt"

// Refusal is an error that says why a model cannot be placed, and what is possible instead.
type Refusal struct {
	Kind    RefusalKind
	Reason  string
	Nearest string // the nearest placement that fits; "" if there is none

	ShortBytes int // TooLittleSRAM: per core
	Colors     int // TooManyColors: how many would be needed
}

// RefusalKind is the resource that is too small.
type RefusalKind string

// The kinds of refusals.
const (
	MeshTooLarge  RefusalKind = "mesh too large"
	TooLittleSRAM RefusalKind = "too little SRAM"
	TooManyColors RefusalKind = "too many colors"
	TooFewWafers  RefusalKind = "too few wafers"
)

func (r *Refusal) Error() string {
	if r.Nearest == "" {
		return r.Reason
	}
	return r.Reason + "; nearest that fits: " + r.Nearest
}

// refuse returns why a search found nothing: the first of mesh, SRAM and wafers that would
// have to be different.
func (s *search) refuse() error {
	if fewer := s.with(func(r *Request) { r.Wafers = 0 }, true); s.Wafers > 0 && fewer.found {
		return &Refusal{
			Kind: TooFewWafers,
			Reason: fmt.Sprintf("%s in a context of %d needs %s, and %d may be used", s.Model.Name, s.Context,
				count(fewer.best.wafers, "wafer"), s.Wafers),
			Nearest: fewer.describe(fewer.best),
		}
	}
	p, short := s.shortest()
	reason := fmt.Sprintf("%s does not fit into regions of %d x %d cores", s.Model.Name, p, p)
	if s.DecodeMesh == 0 {
		reason = fmt.Sprintf("%s fits on no number of wafers of %s, not even in regions of %d x %d cores", s.Model.Name,
			s.Machine.Name, p, p)
	}
	refusal := &Refusal{Kind: TooLittleSRAM, ShortBytes: short, Nearest: s.nearest()}
	if short > 0 {
		refusal.Reason = fmt.Sprintf("%s: SRAM is short by %d bytes per core for one layer with a context of %d", reason,
			short, s.Context)
		return refusal
	}
	refusal.Kind = TooFewWafers
	refusal.Reason = fmt.Sprintf("%s: a wafer has no room left for its vocabulary of %d, or there are more than %d wafers",
		reason, s.Model.VocabSize, maxWafers)
	return refusal
}

// with searches for a changed request.
func (s *search) with(change func(*Request), fewest bool) *search {
	r := s.Request
	change(&r)
	other := newSearch(r, s.assume, &times{groups: s.known.groups, layer: make([]float64, len(s.known.groups)),
		first: s.known.first, last: s.known.last})
	other.minimizeWafers = fewest
	other.run()
	return other
}

// shortest returns the side, of those allowed, where the least SRAM is missing for a region
// of one layer, and how much.
func (s *search) shortest() (side, short int) {
	width, height := s.Machine.Usable()
	from, to := 1, min(width, height)
	if s.DecodeMesh > 0 {
		from, to = s.DecodeMesh, s.DecodeMesh
	}
	for p := to; p >= from; p-- {
		missing := -s.use(p, tileOf(s.Model, p), s.Model.BlockCount).Free
		if side == 0 || missing < short {
			side, short = p, missing
		}
	}
	return side, short
}

// nearest describes the nearest placement that fits: with the mesh closest in size to the
// requested one, or otherwise with the longest context that fits.
func (s *search) nearest() string {
	if s.DecodeMesh > 0 {
		if other, ok := s.nearestMesh(); ok {
			return other.describe(other.best)
		}
	}
	free := func(context int) *search {
		return s.with(func(r *Request) { r.DecodeMesh, r.Context = 0, context }, true)
	}
	low, high := 0, s.Context // the longest context that fits is in [low, high)
	for high-low > 1 {
		if middle := (low + high) / 2; free(middle).found {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return ""
	}
	found := free(low)
	return fmt.Sprintf("a context of %d, in %s", low, found.describe(found.best))
}

func (s *search) nearestMesh() (*search, bool) {
	width, height := s.Machine.Usable()
	most := min(width, height)
	for away := 1; away < most; away++ {
		for _, p := range []int{s.DecodeMesh + away, s.DecodeMesh - away} {
			if p < 1 || p > most {
				continue
			}
			if other := s.with(func(r *Request) { r.DecodeMesh = p }, true); other.found {
				return other, true
			}
		}
	}
	return nil, false
}

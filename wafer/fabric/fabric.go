package fabric

import (
	"fmt"

	"waferpair/wafer/clock"
)

// Config is the fixed configuration of a fabric.
type Config struct {
	Width, Height int
	Colors        int // at most MaxColors
	Switches      int // colors 0 to Switches-1 may have several positions
	Hop           int // cycles from router to router, at least 1
	Ramp          int // cycles between a core and its router, each way, at least 1
	LinkDepth     int // wavelets that a router can hold per input port and color
	InDepth       int // wavelets that a core's input queue can hold, per color
	OutDepth      int // wavelets that a core's output queue can hold, per color
}

// Fabric is the routers of a mesh and the wavelets between them. Its state is divided by
// rows into bands (see Band); one host thread at a time works on a band.
type Fabric struct {
	config        Config
	width, height int
	channels      []channel  // [router][color]
	slotOf        []uint8    // [router][port][color]: the index of the router's queue, plus one
	dest          []int32    // [router][port][color]: the queue at the far end of the port; 0 if there is none
	offset        [ports]int // of the router at the far end of a port
	first         []int32    // [router]: its first queue
	queues        []queue
	entries       []entry  // ring of each queue, in the order of queues
	inbox         []int32  // [router][color]: the core's input queue for it, or 0; the routers' queues come first
	credits       []uint8  // [router][port][color]: room at the far end of the port; for RAMP, in the core
	room          []uint8  // [router][color]: room in the router for wavelets from the core
	rampFree      []uint32 // [core]: the first cycle in which its ramp is free
	waiting       []uint64 // [router]: a bit for each of its queues that is not empty
	turn          []uint8  // [router]: the queue to try first
	stats         []Stats  // [router]
	bands         []*Band
	bandOf        []uint16 // [row]
}

// queue is a ring of wavelets that arrived through one port in one color.
type queue struct {
	start       int32 // the first of its entries
	head, count uint8
	port        Port
	color       Color
}

// entry is a wavelet in a queue, with the cycle from which on it is available: when it is
// put in, it is still on the way.
type entry struct {
	data  uint32
	ready uint32 // cycle << 1 | control
}

// advance drops the first wavelet. An empty queue starts over at its first entry, so that a
// queue that is never full uses only a few bytes of memory.
func (q *queue) advance() {
	q.head = (q.head + 1) & (ring - 1)
	if q.count--; q.count == 0 {
		q.head = 0
	}
}

// ring is the number of entries of a queue: a power of two above every depth.
const ring = 16

// New returns a fabric without routes.
func New(config Config) (*Fabric, error) {
	if err := config.check(); err != nil {
		return nil, fmt.Errorf("fabric of %d x %d: %w", config.Width, config.Height, err)
	}
	n := config.Width * config.Height
	return &Fabric{
		config: config, width: config.Width, height: config.Height,
		channels: make([]channel, n*MaxColors),
		slotOf:   make([]uint8, n*int(ports)*MaxColors),
		dest:     make([]int32, n*int(ports)*MaxColors),
		offset:   [ports]int{North: -config.Width, East: 1, South: config.Width, West: -1},
		first:    make([]int32, n+1),
		credits:  make([]uint8, n*int(ports)*MaxColors),
		room:     make([]uint8, n*MaxColors),
		inbox:    make([]int32, n*MaxColors),
		rampFree: make([]uint32, n),
		waiting:  make([]uint64, n),
		turn:     make([]uint8, n),
		stats:    make([]Stats, n),
		bandOf:   make([]uint16, config.Height),
	}, nil
}

func (c Config) check() error {
	switch {
	case c.Width < 1 || c.Height < 1:
		return fmt.Errorf("a mesh has at least one row and one column")
	case c.Colors < 1 || c.Colors > MaxColors:
		return fmt.Errorf("%d colors; a router has 1 to %d", c.Colors, MaxColors)
	case c.Hop < 1 || c.Ramp < 1:
		return fmt.Errorf("hop %d and ramp %d cycles; each takes at least one", c.Hop, c.Ramp)
	case min(c.LinkDepth, c.InDepth, c.OutDepth) < 1:
		return fmt.Errorf("a queue holds at least one wavelet")
	case max(c.LinkDepth, c.InDepth, c.OutDepth)+max(c.Hop, c.Ramp) > ring:
		return fmt.Errorf("queues of more than %d wavelets", ring-max(c.Hop, c.Ramp))
	}
	return nil
}

func (f *Fabric) routers() int   { return f.width * f.height }
func (f *Fabric) id(at At) int   { return at.Y*f.width + at.X }
func (f *Fabric) at(id int) At   { return At{id % f.width, id / f.width} }
func (f *Fabric) Config() Config { return f.config }

// neighbour returns the router at the far end of a port, or -1 at the edge of the mesh.
func (f *Fabric) neighbour(r int, p Port) int {
	switch {
	case p == North && r >= f.width:
		return r - f.width
	case p == South && r < f.routers()-f.width:
		return r + f.width
	case p == East && r%f.width < f.width-1:
		return r + 1
	case p == West && r%f.width > 0:
		return r - 1
	}
	return -1
}

// Start allocates the queues for the routes and divides the mesh into bands of whole rows.
// After that only control wavelets change routes. A fabric with no wavelets on the way may
// be started again, at cycle 0. The fabric calls woken with each core that can take or send
// a wavelet, and the cycle.
func (f *Fabric) Start(bands int, woken func(at clock.Cycle, core int)) ([]*Band, error) {
	if f.entries == nil {
		if err := f.loop(); err != nil {
			return nil, err
		}
		if err := f.allocateQueues(); err != nil {
			return nil, err
		}
	}
	f.bands = nil
	clear(f.stats)
	clear(f.rampFree)
	bands = max(1, min(bands, f.height))
	for i := range bands {
		b := &Band{f: f, index: i, from: f.height * i / bands * f.width,
			to: f.height * (i + 1) / bands * f.width, woken: woken}
		b.wheel = clock.NewWheel(b.to - b.from)
		for y := b.from / f.width; y < b.to/f.width; y++ {
			f.bandOf[y] = uint16(i)
		}
		f.bands = append(f.bands, b)
	}
	return f.bands, nil
}

// allocateQueues allocates a queue for every port and color that some switch position
// receives from, then the input queues of the cores.
func (f *Fabric) allocateQueues() error {
	for r := range f.routers() {
		f.first[r] = int32(len(f.queues))
		for c := range Color(f.config.Colors) {
			rx, _ := f.channels[r*MaxColors+int(c)].all()
			for p := range ports {
				if rx.Has(p) {
					f.slotOf[f.key(r, p, c)] = uint8(len(f.queues)-int(f.first[r])) + 1
					f.addQueue(p, c)
					f.lendCredits(r, p, c)
				}
			}
		}
		if n := len(f.queues) - int(f.first[r]); n > 64 {
			return fmt.Errorf("the routes at %v take from %d ports and colors; a router has 64 queues", f.at(r), n)
		}
	}
	f.first[f.routers()] = int32(len(f.queues))
	for i := range f.channels {
		if _, tx := f.channels[i].all(); tx.Has(Ramp) {
			f.inbox[i] = int32(len(f.queues))
			f.addQueue(Ramp, Color(i%MaxColors))
			f.credits[f.key(i/MaxColors, Ramp, Color(i%MaxColors))] = uint8(f.config.InDepth + f.config.Ramp)
		}
	}
	f.entries = make([]entry, len(f.queues)*ring)
	return nil
}

func (f *Fabric) addQueue(p Port, c Color) {
	f.queues = append(f.queues, queue{start: int32(len(f.queues) * ring), port: p, color: c})
}

// lendCredits gives the sender into the router's newest queue its credits: the capacity of
// the queue, and of the link to it.
func (f *Fabric) lendCredits(r int, p Port, c Color) {
	if p == Ramp {
		f.room[r*MaxColors+int(c)] = uint8(f.config.OutDepth + f.config.Ramp)
	} else if n := f.neighbour(r, p); n >= 0 {
		sender := f.key(n, p.Opposite(), c)
		f.credits[sender] = uint8(f.config.LinkDepth + f.config.Hop)
		f.dest[sender] = int32(len(f.queues)) - 1
	}
}

func (f *Fabric) key(r int, p Port, c Color) int { return (r*int(ports)+int(p))*MaxColors + int(c) }

func (ch *channel) all() (rx, tx Ports) {
	for _, pos := range ch.positions[:ch.count] {
		rx |= pos.Rx
		tx |= pos.Tx
	}
	return rx, tx
}

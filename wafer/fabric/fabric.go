package fabric

import (
	"fmt"
	"math/bits"

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
	hop, ramp     uint32     // cycles << 1, as in entries
	channels      []channel  // [router][color]
	slotOf        []uint8    // [router][port][color]: the index of the router's queue, plus one
	dest          []int32    // [router][port][color]: the queue at the far end of the port; 0 if there is none
	offset        [ports]int // of the router at the far end of a port
	hubs          []hub      // [router]
	queues        []queue    // see queueAt; queue 0 stands for "none" and is always full
	inbox         []int32    // [router][color]: the core's input queue for it, or 0
	credits       []uint8    // [queue]: how much room its sender knows of; owned by the sender's band
	stats         []Stats    // [router]: what queues do not count
	slow          bool       // see Start
	bands         []*Band
}

// hub is the part of a router's state that every wavelet touches.
type hub struct {
	waiting  uint64 // a bit for each of its queues that is not empty
	queues   uint8  // how many it has
	turn     uint8  // the queue to try first
	stalled  bool   // a wavelet waits for room or for a switch; others have a wake-up of their own
	starved  bool   // its core wants to send and found no room
	listens  int32  // the core's queue whose wavelets go past it, or 0; see Band.Listen
	handed   uint32 // the last cycle in which the room of a handed wavelet would be free again
	echoes   uint32 // such cycles: bit k is the one k cycles before; see Band.Listen
	rampFree uint32 // the first cycle in which the ramp from its core is free
}

// queue is a ring of wavelets that arrived through one port in one color. What a wavelet
// that passes it needs is in one cache line of this computer, as long as few wait.
type queue struct {
	way         way
	sender      int32  // the router that feeds it, or whose core does
	passed      uint32 // wavelets that followed the way
	head, count uint8
	slot        uint8 // among the router's queues
	port        Port
	color       Color
	ring        [ring]entry
	_           [32]byte // a multiple of cache lines
}

// way is where all wavelets of a queue go, found before a run: to a neighbour, to the
// core, or to both. A queue whose color has a switch here, or goes to several neighbours,
// has none (no ports); its way is looked up for each wavelet.
type way struct {
	link int32 // the queue at the far end of the link, or 0
	next int32 // the router there
	core int32 // the core's queue, or 0
	tx   Ports
}

// entry is a wavelet in a queue, with the cycle from which on it is available: when it is
// put in, it is still on the way.
type entry struct {
	data  uint32
	ready uint32 // cycle << 1 | control
}

func (e entry) at() clock.Cycle { return clock.Cycle(e.ready >> 1) }

// front returns the first wavelet.
func (q *queue) front() entry { return q.ring[q.head&(ring-1)] }

func (q *queue) push(e entry) {
	q.ring[(q.head+q.count)&(ring-1)] = e
	q.count++
}

// advance drops the first wavelet. An empty queue starts over at its first entry, so that a
// queue that is never full uses only a few bytes of memory.
func (q *queue) advance() {
	q.head = (q.head + 1) & (ring - 1)
	if q.count--; q.count == 0 {
		q.head = 0
	}
}

// another reports whether a wavelet will be at the front in the cycle after t.
func (q *queue) another(t clock.Cycle) bool { return q.count > 0 && q.front().at() <= t+1 }

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
		hop: uint32(config.Hop) << 1, ramp: uint32(config.Ramp) << 1,
		channels: make([]channel, n*MaxColors),
		slotOf:   make([]uint8, n*int(ports)*MaxColors),
		dest:     make([]int32, n*int(ports)*MaxColors),
		offset:   [ports]int{North: -config.Width, East: 1, South: config.Width, West: -1},
		hubs:     make([]hub, n),
		inbox:    make([]int32, n*MaxColors),
		stats:    make([]Stats, n),
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
// be started again, at cycle 0. With slow, the way of every wavelet is looked up; nothing
// else differs.
func (f *Fabric) Start(bands int, slow bool) ([]*Band, error) {
	if f.queues == nil {
		if err := f.loop(); err != nil {
			return nil, err
		}
		if err := f.allocateQueues(); err != nil {
			return nil, err
		}
	}
	f.slow = slow
	f.findWays()
	f.bands = nil
	clear(f.stats)
	for i := range f.hubs {
		h := &f.hubs[i]
		h.rampFree, h.listens, h.handed, h.echoes, h.starved, h.stalled = 0, 0, 0, 0, false, false
	}
	bands = max(1, min(bands, f.height))
	for i := range bands {
		b := &Band{f: f, index: i, from: f.height * i / bands * f.width, to: f.height * (i + 1) / bands * f.width}
		b.wheel, b.Cores = clock.NewWheel(b.to-b.from), clock.NewWheel(b.to-b.from)
		f.bands = append(f.bands, b)
	}
	return f.bands, nil
}

// queueAt returns the index of a router's queue. Routers are stepped one after the other,
// and neighbours use the same colors at the same time, so their queues are side by side.
func (f *Fabric) queueAt(r int, slot uint8) int32 { return int32(1 + int(slot)*len(f.hubs) + r) }

// allocateQueues allocates a queue for every port and color that some switch position
// receives from, then the input queues of the cores.
func (f *Fabric) allocateQueues() error {
	slots, inboxes, err := f.countQueues()
	if err != nil {
		return err
	}
	f.queues = make([]queue, 1+(slots+inboxes)*f.routers())
	f.credits = make([]uint8, len(f.queues))
	for r := range f.routers() {
		inbox := uint8(slots)
		for c := range Color(f.config.Colors) {
			rx, tx := f.channels[r*MaxColors+int(c)].all()
			for ; rx != 0; rx &= rx - 1 {
				f.addRouterQueue(r, rx.first(), c)
			}
			if tx.Has(Ramp) {
				f.inbox[r*MaxColors+int(c)] = f.queueAt(r, inbox)
				f.addQueue(r, inbox, r, Ramp, c, f.config.InDepth+f.config.Ramp)
				inbox++
			}
		}
	}
	return nil
}

// countQueues returns the most queues of a router and of a core.
func (f *Fabric) countQueues() (slots, inboxes int, err error) {
	for r := range f.routers() {
		routers, cores := 0, 0
		for c := range Color(f.config.Colors) {
			rx, tx := f.channels[r*MaxColors+int(c)].all()
			routers += bits.OnesCount8(uint8(rx))
			cores += bits.OnesCount8(uint8(tx & Of(Ramp)))
		}
		if routers > 64 {
			return 0, 0, fmt.Errorf("the routes at %v take from %d ports and colors; a router has 64 queues", f.at(r),
				routers)
		}
		slots, inboxes = max(slots, routers), max(inboxes, cores)
	}
	return slots, inboxes, nil
}

// addRouterQueue gives the sender into the queue its credits: the capacity of the queue,
// and of the link to it.
func (f *Fabric) addRouterQueue(r int, p Port, c Color) {
	slot := f.hubs[r].queues
	f.hubs[r].queues++
	f.slotOf[f.key(r, p, c)] = slot + 1
	if p == Ramp {
		f.addQueue(r, slot, r, p, c, f.config.OutDepth+f.config.Ramp)
	} else if n := f.neighbour(r, p); n >= 0 {
		f.dest[f.key(n, p.Opposite(), c)] = f.queueAt(r, slot)
		f.addQueue(r, slot, n, p, c, f.config.LinkDepth+f.config.Hop)
	} else {
		f.addQueue(r, slot, r, p, c, 0) // beyond the edge; nothing comes from there
	}
}

func (f *Fabric) addQueue(r int, slot uint8, sender int, p Port, c Color, credits int) {
	i := f.queueAt(r, slot)
	f.queues[i] = queue{sender: int32(sender), slot: slot, port: p, color: c}
	f.credits[i] = uint8(credits)
}

// findWays finds the ways of queues, and forgets how many wavelets followed them.
func (f *Fabric) findWays() {
	for r := range f.hubs {
		for slot := range f.hubs[r].queues {
			q := &f.queues[f.queueAt(r, slot)]
			q.way, q.passed = way{}, 0
			if ch := &f.channels[r*MaxColors+int(q.color)]; !f.slow && ch.count == 1 {
				q.way = f.wayOf(r, q.color, ch.positions[0].Tx)
			}
		}
	}
}

// wayOf returns the way from router r through at most one link.
func (f *Fabric) wayOf(r int, c Color, tx Ports) way {
	links := tx &^ Of(Ramp)
	if links&(links-1) != 0 {
		return way{}
	}
	w := way{tx: tx}
	if tx.Has(Ramp) {
		w.core = f.inbox[r*MaxColors+int(c)]
	}
	if links != 0 {
		p := links.first()
		w.link, w.next = f.dest[f.key(r, p, c)], int32(r+f.offset[p])
		if w.link == 0 {
			return way{} // nobody takes it: it waits for ever
		}
	}
	return w
}

func (f *Fabric) key(r int, p Port, c Color) int { return (r*int(ports)+int(p))*MaxColors + int(c) }

func (ch *channel) all() (rx, tx Ports) {
	for _, pos := range ch.positions[:ch.count] {
		rx |= pos.Rx
		tx |= pos.Tx
	}
	return rx, tx
}

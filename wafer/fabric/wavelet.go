// Package fabric emulates the mesh of routers of a wafer-scale processor.
//
// Every core has a router with five ports: RAMP to its core, and one to each neighbour. A
// wavelet is 32 bits of data, a color and a control bit. A color is a virtual channel: per
// color, a router has the port from which it receives wavelets and the ports to which it
// passes them (a Route). Routes are static, but a control wavelet advances a router to the
// color's next switch position.
//
//	core --RAMP--> router --E--> router --RAMP--> core
//	     T_R cycles       hop           T_R
//
// Every input port has a queue per color. A wavelet leaves its queue when the route
// receives from that port, every link that it leaves through is free in this cycle, and
// there is room for it at the far end; the sender counts that room by credits, which return
// one cycle after a wavelet has left the queue there. One wavelet passes a link per cycle;
// colors that compete for it take turns. So a blocked core blocks everything behind it, and
// nothing is ever dropped.
//
// Not modelled: the bits of the teardown protocol, filters, and per-output buffering: a
// multicast wavelet leaves through all its ports at once.
//
// Sources: Cerebras SDK documentation (routes, switches, queues); hop and ramp cycles are
// those of the machine's specification.
package fabric

import (
	"fmt"
	"math/bits"
)

// Wavelet is a message of the fabric: one word and a control bit.
type Wavelet struct {
	Data    uint32
	Control bool
}

// Color names a virtual channel, 0 to MaxColors-1.
type Color uint8

// MaxColors is how many colors a router's tables have.
const MaxColors = 24

// Port is one side of a router.
type Port uint8

// The ports of a router. North is towards row 0.
const (
	Ramp Port = iota
	North
	East
	South
	West
	ports
)

// Opposite returns the port at the far end of the link.
func (p Port) Opposite() Port {
	return [...]Port{Ramp: Ramp, North: South, East: West, South: North, West: East}[p]
}

func (p Port) String() string {
	return [...]string{"RAMP", "N", "E", "S", "W"}[p]
}

// Ports is a set of ports.
type Ports uint8

// Of returns the set of the given ports.
func Of(list ...Port) Ports {
	var s Ports
	for _, p := range list {
		s |= 1 << p
	}
	return s
}

// Has reports whether p is in the set.
func (s Ports) Has(p Port) bool { return s&(1<<p) != 0 }

// first returns the lowest port in a set that is not empty.
func (s Ports) first() Port { return Port(bits.TrailingZeros8(uint8(s))) }

func (s Ports) String() string {
	text := ""
	for p := range ports {
		if s.Has(p) {
			if text != "" {
				text += "+"
			}
			text += p.String()
		}
	}
	if text == "" {
		return "nowhere"
	}
	return text
}

// At is a place on the mesh: column X, row Y.
type At struct{ X, Y int }

func (a At) String() string { return fmt.Sprintf("(%d,%d)", a.X, a.Y) }

package fabric

import (
	"math/bits"
	"sort"
)

// Stats counts the events of a router.
type Stats struct {
	Passed    [ports]int64 // wavelets that left through each port
	Contended int64        // how often a wavelet waited for a link
	Blocked   int64        // how often a wavelet found no room at the far end
	Switched  int64        // how often a wavelet found the switch in another position
}

// Hops returns how many wavelets went to another router.
func (s Stats) Hops() int64 {
	return s.Passed[North] + s.Passed[East] + s.Passed[South] + s.Passed[West]
}

// Stalls returns how often a wavelet could not leave.
func (s Stats) Stalls() int64 { return s.Contended + s.Blocked + s.Switched }

// StatsAt returns the counts of one router.
func (f *Fabric) StatsAt(at At) Stats { return f.stats[f.id(at)] }

// Total returns the sum over all routers.
func (f *Fabric) Total() Stats {
	var sum Stats
	for i := range f.stats {
		for p := range sum.Passed {
			sum.Passed[p] += f.stats[i].Passed[p]
		}
		sum.Contended += f.stats[i].Contended
		sum.Blocked += f.stats[i].Blocked
		sum.Switched += f.stats[i].Switched
	}
	return sum
}

func firstBit(set uint64) int { return bits.TrailingZeros64(set) }

// routerOf returns the router of a queue.
func (b *Band) routerOf(qi int32) int {
	return sort.Search(b.f.routers(), func(r int) bool { return b.f.first[r+1] > qi })
}

// Delivered returns how many wavelets went to a core.
func (s Stats) Delivered() int64 { return s.Passed[Ramp] }

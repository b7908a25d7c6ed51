package fabric

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
func (f *Fabric) StatsAt(at At) Stats { return f.counted(f.id(at)) }

// counted returns the counts of a router with those of its queues.
func (f *Fabric) counted(r int) Stats {
	s := f.stats[r]
	for slot := range f.hubs[r].queues {
		q := &f.queues[f.queueAt(r, slot)]
		for tx := q.way.tx; tx != 0; tx &= tx - 1 {
			s.Passed[tx.first()] += int64(q.passed)
		}
	}
	return s
}

// Total returns the sum over all routers.
func (f *Fabric) Total() Stats {
	var sum Stats
	for r := range f.stats {
		s := f.counted(r)
		for p := range sum.Passed {
			sum.Passed[p] += s.Passed[p]
		}
		sum.Contended += s.Contended
		sum.Blocked += s.Blocked
		sum.Switched += s.Switched
	}
	return sum
}

// Delivered returns how many wavelets went to a core.
func (s Stats) Delivered() int64 { return s.Passed[Ramp] }

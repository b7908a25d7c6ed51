package bench

import (
	"slices"
	"time"
)

// pageTimes holds the probe's measurements, in ms of the page's clock, which has steps of 1
// ms.
type pageTimes struct {
	Frames  []float64 // animation frames
	Keys    []float64 // from a key to the frame that shows it
	Shown   []float64 // changes of the document's lines
	Painted []float64 // frames that showed such changes
	Escape  float64   // when Esc was pressed
	Enter   float64   // when Enter was pressed last
	Wall    float64   // the same, since 1970
	Found   float64   // when the sought text was painted
}

// gaps returns the times between animation frames, from the first change shown to the last.
func (t pageTimes) gaps() []time.Duration {
	if len(t.Shown) == 0 {
		return nil
	}
	from, to := t.Shown[0], t.Shown[len(t.Shown)-1]
	var out []time.Duration
	for i := 1; i < len(t.Frames); i++ {
		if t.Frames[i] >= from && t.Frames[i-1] <= to {
			out = append(out, msOf(t.Frames[i]-t.Frames[i-1]))
		}
	}
	return out
}

func msOf(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func durations(ms []float64) []time.Duration {
	out := make([]time.Duration, len(ms))
	for i, m := range ms {
		out[i] = msOf(m)
	}
	return out
}

func countOver(list []time.Duration, limit time.Duration) int {
	n := 0
	for _, d := range list {
		if d > limit {
			n++
		}
	}
	return n
}

// framesAfterEscape counts the frames after Esc that painted changes.
func (t pageTimes) framesAfterEscape() int {
	i := slices.IndexFunc(t.Painted, func(at float64) bool { return at > t.Escape })
	if i < 0 {
		return 0
	}
	return len(t.Painted) - i
}

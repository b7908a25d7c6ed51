package clock

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestWheelIsASortedList checks that the wheel wakes the components that a sorted list
// would: near and far ahead, each component once a cycle, in the order of ids.
func TestWheelIsASortedList(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(200)
		w := NewWheel(n)
		asked := map[Cycle]map[int]bool{}
		ask := func(t Cycle, id int) {
			if asked[t] == nil {
				asked[t] = map[int]bool{}
			}
			asked[t][id] = true
			w.Wake(t, id)
		}
		for range 30 {
			ask(Cycle(r.IntN(300)), r.IntN(n))
		}
		for now := w.Next(); now != Never; now = w.Next() {
			if want := first(asked); now != want {
				t.Fatalf("seed %d: next is %d, want %d", seed, now, want)
			}
			w.Advance(now)
			last := -1
			each(w.Due(), func(id int) {
				if id <= last || !asked[now][id] {
					t.Fatalf("seed %d, cycle %d: component %d woken after %d; asked for %v", seed, now, id, last, asked[now])
				}
				last = id
				delete(asked[now], id)
				if r.IntN(3) == 0 && now < 2000 {
					ask(now+1+Cycle(r.IntN(150)), r.IntN(n))
				}
			})
			if len(asked[now]) > 0 {
				t.Fatalf("seed %d, cycle %d: not woken: %v", seed, now, asked[now])
			}
			delete(asked, now)
		}
		if len(asked) > 0 {
			t.Fatalf("seed %d: left over: %v", seed, asked)
		}
	}
}

// each calls do for every bit that is set.
func each(words []uint64, do func(int)) {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			do(i<<6 + bits.TrailingZeros64(word))
		}
	}
}

func first(asked map[Cycle]map[int]bool) Cycle {
	least := Never
	for t := range asked {
		least = min(least, t)
	}
	return least
}

// counter is a band that passes a number to its neighbour every other cycle.
type counter struct {
	next    *counter
	outbox  []int
	log     []string
	pending []int
}

func (c *counter) Step(t Cycle) {
	for _, n := range c.pending {
		c.log = append(c.log, fmt.Sprint(t, n))
		if n > 0 {
			c.outbox = append(c.outbox, n-1)
		}
	}
	c.pending = nil
}

func (c *counter) Collect(t Cycle) Cycle {
	c.pending = append(c.pending, c.next.outbox...)
	c.next.outbox = nil
	if len(c.pending) == 0 {
		return Never
	}
	return t + 2
}

func circle(n int) []*counter {
	list := make([]*counter, n)
	for i := range list {
		list[i] = &counter{}
	}
	for i, c := range list {
		c.next = list[(i+1)%n]
	}
	list[0].pending = []int{100, 37}
	return list
}

func run(n, workers int, limits Limits) (Cycle, []*counter, error) {
	list := circle(n)
	bands := make([]Band, n)
	for i, c := range list {
		bands[i] = c
	}
	limits.Workers = workers
	last, err := Run(context.Background(), bands, limits)
	return last, list, err
}

func TestRunIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	last, one, err := run(7, 1, Limits{})
	if err != nil || last != 1+2*100 {
		t.Fatalf("%d cycles, %v", last, err)
	}
	for _, workers := range []int{2, 3, 8} {
		n, many, err := run(7, workers, Limits{})
		if err != nil || n != last {
			t.Fatalf("%d workers: %d cycles, %v", workers, n, err)
		}
		for i := range one {
			if !reflect.DeepEqual(one[i].log, many[i].log) {
				t.Fatalf("%d workers: band %d did %v, with one worker %v", workers, i, many[i].log, one[i].log)
			}
		}
	}
}

func TestRunEndsAtItsLimits(t *testing.T) {
	if _, _, err := run(3, 2, Limits{Cycles: 100}); err == nil || !strings.Contains(err.Error(), "100 cycles") {
		t.Errorf("a limit of 100 cycles: %v", err)
	}
	stop := errors.New("stop")
	if _, _, err := run(3, 2, Limits{Every: 10, Watch: func(Cycle) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("a watcher that stops it: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, []Band{circle(1)[0]}, Limits{Every: 10, Watch: func(Cycle) error { return nil }}); !errors.Is(
		err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
}

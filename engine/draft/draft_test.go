package draft

import (
	"slices"
	"testing"
)

// TestACopyIsGuessed: after three tokens that stood together before, those that followed are offered.
func TestACopyIsGuessed(t *testing.T) {
	var l Lookup
	if l.Next(8) != nil {
		t.Error("a guess out of nothing")
	}
	l.Add(1, 2, 3, 4, 5, 6, 7, 8, 9)
	if got := l.Next(8); got != nil {
		t.Errorf("the end of a text that repeats nothing: %v", got)
	}
	l.Add(100, 2, 3)
	if got := l.Next(8); got != nil {
		t.Errorf("two tokens agree: %v", got)
	}
	l.Add(4)
	if got := l.Next(3); !slices.Equal(got, []int32{5, 6, 7}) {
		t.Errorf("got %v", got)
	}
}

// TestALengthFollowsItsGuesses: guesses grow while they are right.
func TestALengthFollowsItsGuesses(t *testing.T) {
	var l Lookup
	for i := range int32(200) {
		l.Add(i)
	}
	l.Add(0, 1, 2)
	first := len(l.Next(1000))
	l.Scored(first, first)
	if grown := len(l.Next(1000)); grown != min(atMost, 2*first) {
		t.Errorf("%d after %d right ones", grown, first)
	}
	l.Scored(0, first)
	if got := len(l.Next(1000)); got != atLeast {
		t.Errorf("%d after a wrong one", got)
	}
}

// TestTheLastPlaceCounts: of two places the later one is nearer to what is written.
func TestTheLastPlaceCounts(t *testing.T) {
	var l Lookup
	l.Add(1, 2, 3, 10, 1, 2, 3, 20, 1, 2, 3)
	if got := l.Next(1); !slices.Equal(got, []int32{20}) {
		t.Errorf("got %v", got)
	}
}

package gauge

import (
	"testing"
	"time"
)

var noon = time.Date(2023, 5, 4, 12, 0, 0, 0, time.UTC)

func TestReadingValidate(t *testing.T) {
	ok := NewReading("cux", noon, 312)
	if err := ok.Validate(); err != nil {
		t.Fatalf("valid reading: %v", err)
	}
	high := NewReading("cux", noon, 9000)
	if err := high.Validate(); err != ErrOutOfRange {
		t.Errorf("high reading: got %v", err)
	}
	nameless := NewReading("", noon, 1)
	if err := nameless.Validate(); err != ErrNoStation {
		t.Errorf("nameless reading: got %v", err)
	}
}

func TestIsStale(t *testing.T) {
	r := NewReading("cux", noon, 100)
	if r.IsStale(noon.Add(time.Hour)) {
		t.Error("an hour is not stale")
	}
	if !r.IsStale(noon.Add(7 * time.Hour)) {
		t.Error("seven hours are stale")
	}
}

func TestGrade(t *testing.T) {
	prev := NewReading("cux", noon, 100)
	tests := []struct {
		level  float64
		strict bool
		want   Quality
	}{
		{110, false, QualityGood},
		{150, false, QualityGood},
		{150, true, QualitySuspect},
		{400, true, QualityBad},
	}
	for _, tt := range tests {
		cur := NewReading("cux", noon, tt.level)
		if got := Grade(cur, prev, tt.strict); got != tt.want {
			t.Errorf("Grade(%v, strict=%v) = %v, want %v", tt.level, tt.strict, got, tt.want)
		}
	}
}

func TestRegistryAdd(t *testing.T) {
	g := NewRegistry()
	s := NewStation("hel", "Helgoland")
	if err := g.Add(s, false); err != nil {
		t.Fatal(err)
	}
	if err := g.Add(s, false); err == nil {
		t.Error("added twice")
	}
	if err := g.Add(s, true); err != nil {
		t.Errorf("replace: %v", err)
	}
}

package feed

import (
	"errors"
	"testing"
)

const sample = `# station;time;level;temp
cux;2023-05-04T12:00:00Z;312cm;9.5
HEL;2023-05-04T12:10:00Z;2.85m;9.1

bremerhaven;2023-05-04T12:20:00Z;290;8.8
`

func TestParseLine(t *testing.T) {
	r, err := ParseLine("CUX;2023-05-04T12:00:00Z;3.12m;9.5", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if r.StationID != "cux" {
		t.Errorf("id = %q", r.StationID)
	}
	if r.LevelCm < 311.9 || r.LevelCm > 312.1 {
		t.Errorf("level = %v", r.LevelCm)
	}
}

func TestParseLineShort(t *testing.T) {
	_, err := ParseLine("cux;now", 7, false)
	if !errors.Is(err, errShortLine) {
		t.Errorf("got %v", err)
	}
}

func TestParseAll(t *testing.T) {
	rs, err := ParseAll(sample, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != 3 {
		t.Errorf("%d readings, want 3", len(rs))
	}
}

func TestBufferFlush(t *testing.T) {
	sink := &NullSink{}
	b := NewBuffer(sink, false)
	rs, err := ParseAll(sample, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		b.Push(r)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if sink.Count != 3 {
		t.Errorf("sink got %d, want 3", sink.Count)
	}
}

package tile

import (
	"errors"
	"strings"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
)

func TestSRAMOverflows(t *testing.T) {
	m := machine.Test(1, 1)
	l := NewLayout(m)
	free := m.SRAMBytes - m.ReservedBytes
	if _, err := l.Alloc("weights", F16, free/2-100); err != nil {
		t.Fatal(err)
	}
	_, err := l.Alloc("cache", F32, 80)
	var over *OverflowError
	if !errors.As(err, &over) || over.Short != 80*4-200 {
		t.Fatalf("80 fp32 numbers in 200 bytes: %v", err)
	}
	for _, want := range []string{"49152 bytes is 120 bytes short", `"cache"`, "weights"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	if _, err := l.Alloc("rest", F16, 100); err != nil || l.Used() != m.SRAMBytes {
		t.Errorf("the last 200 bytes: %v, %d in use", err, l.Used())
	}
}

func TestReleaseGivesBack(t *testing.T) {
	l := NewLayout(machine.Test(1, 1))
	first, _ := l.Alloc("kept", F16, 3)
	mark := l.Mark()
	second, _ := l.Alloc("for a while", F32, 100)
	if second.Addr%2 != 0 || second.Addr < first.Addr+3 {
		t.Errorf("fp32 numbers at word %d after 3 at %d", second.Addr, first.Addr)
	}
	peak := l.Used()
	l.Release(mark)
	again, _ := l.Alloc("later", F32, 10)
	if again.Addr != second.Addr || l.Peak() != peak || l.Used() >= peak {
		t.Errorf("after a release at word %d, in use %d, peak %d", again.Addr, l.Used(), l.Peak())
	}
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	g, err := New(machine.Test(1, 1), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewLayout(g.Machine).Alloc("x", F16, 2)
	if err := g.Write(fabric.At{}, b, []float32{1, 2, 3}); err == nil {
		t.Error("3 numbers went into a buffer of 2")
	}
	nan := float32(0)
	if err := g.Write(fabric.At{}, b, []float32{nan / nan}); err == nil {
		t.Error("a NaN went into a core")
	}
}

package local

import "testing"

// TestACircleIsNoticed, and a long answer that says new things is none.
func TestACircleIsNoticed(t *testing.T) {
	var circle, story loop
	found := 0
	for i := range int32(4000) {
		if found == 0 && circle.add(i%37) {
			found = int(i)
		}
		if story.add(i*i%1009 + i/1009) {
			t.Fatalf("token %d: it does not repeat", i)
		}
	}
	if found == 0 || found > loopTokens+loopPeriod+256 {
		t.Errorf("noticed after %d tokens", found)
	}
}

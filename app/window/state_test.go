package window

import (
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
)

func TestTheWindowsPlaceIsRemembered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "window.json")
	rapid.Check(t, func(t *rapid.T) {
		want := state{
			Placed: rapid.Bool().Draw(t, "placed"), X: rapid.IntRange(-4000, 8000).Draw(t, "x"),
			Y: rapid.IntRange(-4000, 8000).Draw(t, "y"), Width: rapid.IntRange(minWidth, 8000).Draw(t, "w"),
			Height: rapid.IntRange(minHeight, 8000).Draw(t, "h"), Maximised: rapid.Bool().Draw(t, "max"), Background: "#0a0b0c",
			Dark: rapid.Bool().Draw(t, "dark"),
		}
		if err := want.save(path); err != nil {
			t.Fatal(err)
		}
		if got := loadState(path); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestAnUnusableStateGivesTheDefaults(t *testing.T) {
	want := state{Width: defaultWidth, Height: defaultHeight}
	for _, content := range []string{"", "{", `{"width":"wide"}`, `{"width":10,"height":10}`,
		`{"width":100000,"height":800}`, `{"width":1000,"height":800,"x":-99999}`} {
		path := filepath.Join(t.TempDir(), "window.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := loadState(path); got != want {
			t.Errorf("%q: got %+v", content, got)
		}
	}
}

func TestBackgroundBeforeThePageHasPainted(t *testing.T) {
	for _, c := range []struct {
		state   state
		r, g, b uint8
	}{
		{state{}, 255, 255, 255},
		{state{Dark: true}, 0x17, 0x19, 0x1d},
		{state{Dark: true, Background: "#01fe80"}, 1, 0xfe, 0x80},
		{state{Background: "red; }"}, 255, 255, 255},
	} {
		if r, g, b := c.state.background(); r != c.r || g != c.g || b != c.b {
			t.Errorf("%+v: %d %d %d", c.state, r, g, b)
		}
	}
}

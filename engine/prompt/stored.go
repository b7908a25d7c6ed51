package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
)

// A Memory is stored with sums in place of texts. Only the map has its text: it stays in the prompts after it is
// out of date.

type storedMemory struct {
	Outputs, Turns int64
	Spots          []storedSpot
}

type storedSpot struct {
	Kind             Kind
	Name, Path, Sum  string
	Text             string `json:",omitempty"`
	Bytes            int
	After            int64
	From, To         int      `json:",omitempty"`
	Outlined, Listed []string `json:",omitempty"`
}

// MarshalJSON returns the stored form.
func (m Memory) MarshalJSON() ([]byte, error) {
	out := storedMemory{Outputs: m.Outputs, Turns: m.Turns}
	for _, s := range m.spots {
		t := storedSpot{Kind: s.Kind, Name: s.Name, Path: s.Path, Bytes: s.Bytes, After: s.after, From: s.from, To: s.to,
			Sum: s.sum}
		if s.Text != "" {
			t.Sum = sumOf(s.Text)
		}
		if s.Kind == Map {
			t.Text = s.Text
		}
		for _, file := range slices.Sorted(maps.Keys(s.levels)) {
			switch s.levels[file] {
			case outlined:
				t.Outlined = append(t.Outlined, file)
			case listed:
				t.Listed = append(t.Listed, file)
			case counted:
			}
		}
		out.Spots = append(out.Spots, t)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the stored form.
func (m *Memory) UnmarshalJSON(b []byte) error {
	var in storedMemory
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*m = Memory{Outputs: in.Outputs, Turns: in.Turns}
	for _, t := range in.Spots {
		s := spot{Part: Part{Kind: t.Kind, Name: t.Name, Path: t.Path, Text: t.Text, Bytes: t.Bytes, from: t.From, to: t.To},
			after: t.After, sum: t.Sum}
		if len(t.Outlined)+len(t.Listed) > 0 {
			s.levels = levels{}
		}
		for _, file := range t.Outlined {
			s.levels[file] = outlined
		}
		for _, file := range t.Listed {
			s.levels[file] = listed
		}
		m.spots = append(m.spots, s)
	}
	return nil
}

// sumOf stands for a text.
func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

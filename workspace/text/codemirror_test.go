package text

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestCodeMirrorJSONRoundTrip(t *testing.T) {
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		doc := OfString(genText().Draw(t, "doc"))
		c := genChange(int(doc.Len())).Draw(t, "c")
		data, err := c.MarshalCM(doc)
		if errors.Is(err, ErrUnits) {
			return // cuts a character, or joins one
		}
		must(t, data, err)
		back, err := ParseCM(data, doc)
		if bytes.Contains(data, []byte(`\ufffd`)) {
			return // inserted stray bytes come back as U+FFFD
		}
		if must(t, back, err); !back.Equal(c) {
			t.Fatalf("%v as %s comes back as %v", c, data, back)
		}
	})
}

func TestParseCMRefuses(t *testing.T) {
	doc := OfString("a😀b") // 4 units
	for _, c := range []struct {
		data string
		want error
	}{
		{`[2,[1],1]`, ErrPosition}, // between the surrogates
		{`[3]`, ErrLength},
		{`[5]`, ErrLength},
		{`[]`, ErrLength},
		{`[-1,5]`, ErrLength},
		{`[[4],1]`, ErrLength},
		{`[9007199254740993]`, ErrLength},
		{`[1.5,2.5]`, nil},
		{`[[],4]`, nil},
		{`[null,4]`, nil},
		{`["x",4]`, nil},
		{`[[0,1],4]`, nil},
		{`[[0,null],4]`, nil},
		{`[[0,["x"]],4]`, nil},
		{`{}`, nil},
		{`[4`, nil},
		{``, nil},
	} {
		_, err := ParseCM([]byte(c.data), doc)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.data, err, c.want)
		}
	}
}

func TestParseCMReadsAnyLayout(t *testing.T) {
	got, err := ParseCM([]byte(" [ 1 ,\n[ 2 , \"x\" , \"\" ] , [0] , 1 ]\t"), OfString("a😀b"))
	want, wantErr := NewChangeSet(6, Change{1, 5, "x\n"})
	must(t, want, wantErr)
	if must(t, got, err); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMarshalCMRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		doc    string
		change Change
	}{
		"cuts a character":      {"€", Change{1, 2, ""}},
		"glues a character":     {"\xe2x\x82\xac", Change{1, 2, ""}},
		"completes a character": {"\xe2\x82", Change{2, 2, "\xac"}},
	} {
		doc := OfString(c.doc)
		cs, err := NewChangeSet(doc.Len(), c.change)
		must(t, cs, err)
		if data, err := cs.MarshalCM(doc); !errors.Is(err, ErrUnits) {
			t.Errorf("%s: %s, %v; want ErrUnits", name, data, err)
		}
	}
}

// TestParseCMRefusesToGlue: the page shows three U+FFFD for the separate bytes of a
// character; when they meet, it would count two more units than we do.
func TestParseCMRefusesToGlue(t *testing.T) {
	if c, err := ParseCM([]byte(`[1,[1],2]`), OfString("\xe2x\x82\xac")); !errors.Is(err, ErrUnits) {
		t.Errorf("%v, %v; want ErrUnits", c, err)
	}
}

// FuzzParseCM: for any input, ParseCM returns an error or a change set that fits.
func FuzzParseCM(f *testing.F) {
	for _, seed := range []string{`[4]`, ` [ 1 , [ 2 , "x" , "" ] , 1 ]`, `[[0,"\ud83d"],4]`, `[1,[2],1]`, `[null]`,
		`[[0,null],4]`, `[1e0,3]`, `[[]]`, `[[[]]]`} {
		f.Add(seed, "a😀b")
	}
	f.Add(`[1,[1],2]`, "\xe2x\x82\xac")
	f.Fuzz(func(t *testing.T, data, source string) {
		doc := OfString(source)
		c, err := ParseCM([]byte(data), doc)
		if err != nil {
			return
		}
		apply(t, c, doc)
		again, err := c.MarshalCM(doc)
		must(t, again, err)
		back, err := ParseCM(again, doc)
		if must(t, back, err); !back.Equal(c) {
			t.Fatalf("%q becomes %s", data, again)
		}
	})
}

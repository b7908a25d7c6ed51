package live

import (
	"testing"

	"pgregory.net/rapid"

	"waferpair/workspace/text"
)

// TestDiskLeadsToHead checks, for any order of edits, saves and other programs' writes,
// that the unsaved changes lead from the text on disk to head, and that another program's
// text is never merged over a place that was changed here.
func TestDiskLeadsToHead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		head := text.OfString(rapid.StringMatching(`[a-d\n]{0,20}`).Draw(t, "first"))
		d, hashes := OnDisk([32]byte{1}, head), byte(1)
		var saving *text.Text // head at the start of the save in progress
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			hashes++
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				cs, after := drawChange(t, head, "u")
				if err := d.Advance(cs); err != nil {
					t.Fatal(err)
				}
				head = after
			case 2:
				d.Saving(head)
				was := head
				saving = &was
			case 3:
				if saving != nil {
					d.Saved([32]byte{hashes}, *saving)
					saving = nil
				}
			case 4:
				_, theirs := drawChange(t, d.Text(), "o")
				cs, clash, err := d.Merge(theirs)
				if err != nil {
					t.Fatal(err)
				}
				if len(clash) > 0 {
					cs = text.Diff(head, theirs)
				}
				if err := d.Advance(cs); err != nil {
					t.Fatal(err)
				}
				if head, err = cs.Apply(head); err != nil {
					t.Fatal(err)
				}
				d.Became([32]byte{hashes}, theirs, head)
				saving = nil // the save was refused
			case 5:
				d.Clear()
				head, saving = text.Text{}, nil
			}
			got, err := d.unsaved.Apply(d.Text())
			if err != nil || !got.Equal(head) {
				t.Fatalf("%q, not %q: %v", got, head, err)
			}
			if !d.Unsaved() && !d.Text().Equal(head) || !d.There() {
				t.Fatalf("%q is on disk, which is not %q", d.Text(), head)
			}
		}
	})
}

// TestMergeKeepsBoth checks that a merge without conflicts has both programs' letters.
func TestMergeKeepsBoth(t *testing.T) {
	first := text.OfString("one\ntwo\nthree\n")
	d := OnDisk([32]byte{1}, first)
	cs, err := text.NewChangeSet(first.Len(), text.Change{From: 0, To: 3, Insert: "1"})
	if err == nil {
		err = d.Advance(cs)
	}
	if err != nil {
		t.Fatal(err)
	}
	head, _ := cs.Apply(first)
	for theirs, want := range map[string]string{"one\ntwo\n3\n": "1\ntwo\n3\n", "eins\ntwo\nthree\n": ""} {
		cs, clash, err := d.Merge(text.OfString(theirs))
		if err != nil || (len(clash) > 0) != (want == "") {
			t.Fatal(theirs, clash, err)
		}
		if got, err := cs.Apply(head); want != "" && (err != nil || got.String() != want) {
			t.Errorf("%q became %q: %v", theirs, got, err)
		}
	}
}

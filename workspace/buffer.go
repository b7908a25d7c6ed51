package workspace

import (
	"fmt"
	"sync"

	"waferpair/workspace/text"
)

// The authors of changes that Buffer treats specially. Any other name is a model, a revert,
// an undo.
const (
	User    = "user"
	Outside = "outside" // another program's save
)

// Version counts the changes of a buffer since it was opened.
type Version int64

// Buffer is the live text of one file: what the user sees, what the model reads, and what
// is saved next. All authors change it through Apply, based on the version they have seen;
// Apply maps their changes over the changes since. app decides what is recorded and saved.
// Buffer is safe for concurrent use.
type Buffer struct {
	mu      sync.Mutex
	path    string
	text    text.Text
	version Version
	log     []change // the newest changes; log[len-1] made version
	logSize int      // the approximate size of log in bytes
}

// change is one applied change of the log.
type change struct {
	author string
	origin string
	cs     text.ChangeSet
}

// Logged is a change as it was applied to the buffer to make Version. Origin is the mark
// that the author gave to recognize it.
type Logged struct {
	Version Version
	Author  string
	Origin  string
	Changes text.ChangeSet
}

// The bounds of the log. A page that falls further behind takes a new snapshot.
const (
	maxLog     = 1024
	maxLogSize = 1 << 20
	changeCost = 256 // bytes that a change takes in addition to its inserted text
)

// Applied is a change as it was applied to the buffer.
type Applied struct {
	Version Version
	// Changes is the change, based on the text just before it.
	Changes text.ChangeSet
	// Concurrent is what others did since the base version, based on the text after the
	// caller's own change: base, then the change as given, then Concurrent is the new text.
	Concurrent text.ChangeSet
}

// OverlapError means that a change touches bytes that somebody else changed since its base
// version. Nothing was applied.
type OverlapError struct {
	Path   string
	By     string       // who changed them
	Ranges []text.Range // in the current text
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("change %s: %d places were changed by %s meanwhile; show it as a suggestion", e.Path,
		len(e.Ranges), e.By)
}

// VersionError means that a base version is unknown, or too old to map from.
type VersionError struct {
	Path         string
	Base         Version
	Oldest, Last Version
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("change %s: version %d is not among the known versions %d to %d; take a new snapshot", e.Path,
		e.Base, e.Oldest, e.Last)
}

// NewBuffer returns a buffer with text t. The path appears in its errors.
func NewBuffer(path string, t text.Text) *Buffer { return &Buffer{path: path, text: t} }

// Renamed sets the path after the file was renamed.
func (b *Buffer) Renamed(path string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.path = path
}

// Snapshot returns the text and its version.
func (b *Buffer) Snapshot() (text.Text, Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text, b.version
}

// Apply applies a change that is based on version base.
//
// At the same place the user's text comes first, otherwise the earlier change. A change of
// the user is always applied. Any other change that overlaps one that somebody else made
// since base is an *OverlapError: the earlier change wins, and the later one becomes a
// suggestion.
func (b *Buffer) Apply(author string, base Version, cs text.ChangeSet) (Applied, error) {
	return b.ApplyFrom(author, "", base, cs)
}

// ApplyFrom is like Apply, for an author who recognizes the change by its origin when Since
// returns it. Two changes of one author with different origins, such as two turns of
// models, count as by different authors.
func (b *Buffer) ApplyFrom(author, origin string, base Version, cs text.ChangeSet) (Applied, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	since, err := b.since(base)
	if err != nil {
		return Applied{}, err
	}
	mapped, concurrent, err := b.rebase(author, origin, cs, since)
	if err != nil {
		return Applied{}, err
	}
	if err := b.push(change{author, origin, mapped}); err != nil {
		return Applied{}, err
	}
	return Applied{b.version, mapped, concurrent}, nil
}

// Since returns the present text, its version, and the changes since version base, or a
// *VersionError if the log does not reach back that far.
func (b *Buffer) Since(base Version) (text.Text, Version, []Logged, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	since, err := b.since(base)
	if err != nil {
		return text.Text{}, 0, nil, err
	}
	list := make([]Logged, len(since))
	for i, c := range since {
		list[i] = Logged{base + Version(i) + 1, c.author, c.origin, c.cs}
	}
	return b.text, b.version, list, nil
}

// since returns the log from version base on.
func (b *Buffer) since(base Version) ([]change, error) {
	oldest := b.version - Version(len(b.log))
	if base < oldest || base > b.version {
		return nil, &VersionError{b.path, base, oldest, b.version}
	}
	return b.log[base-oldest:], nil
}

// rebase maps cs over the changes of the log, and their composition over cs.
//
//	base --cs--> mine
//	 |since       |concurrent
//	now --mapped-> new
func (b *Buffer) rebase(author, origin string,
	cs text.ChangeSet, since []change) (mapped, concurrent text.ChangeSet, err error) {
	mapped, concurrent = cs, text.Retain(cs.NewLen())
	for i, c := range since {
		if r := cs.Conflicts(c.cs); author != User && (author != c.author || origin != c.origin) && len(r) > 0 {
			return mapped, concurrent, &OverlapError{b.path, c.author, forward(r, since[i:])}
		}
		first := author == User && c.author != User
		if mapped, err = cs.Map(c.cs, first); err != nil {
			return
		}
		theirs, err := c.cs.Map(cs, !first)
		if err != nil {
			return mapped, concurrent, err
		}
		if concurrent, err = concurrent.Compose(theirs); err != nil {
			return mapped, concurrent, err
		}
		cs = mapped
	}
	return mapped, concurrent, nil
}

// forward maps ranges of an older text to the present one.
func forward(ranges []text.Range, over []change) []text.Range {
	for i, r := range ranges {
		for _, c := range over {
			r = text.Range{From: c.cs.MapPos(r.From, -1), To: c.cs.MapPos(r.To, 1)}
		}
		ranges[i] = r
	}
	return ranges
}

// push applies c as the newest change.
func (b *Buffer) push(c change) error {
	next, err := c.cs.Apply(b.text)
	if err != nil {
		return fmt.Errorf("change %s: %w", b.path, err)
	}
	b.text = next
	b.version++
	b.log = append(b.log, c)
	b.logSize += logCost(c.cs)
	b.trim()
	return nil
}

// trim drops the older half of a full log, which happens so rarely that a change pays
// nothing for it.
func (b *Buffer) trim() {
	if len(b.log) <= maxLog && b.logSize <= maxLogSize {
		return
	}
	drop := 0
	for n := len(b.log); n-drop > 1 && (n-drop > maxLog/2 || b.logSize > maxLogSize/2); drop++ {
		b.logSize -= logCost(b.log[drop].cs)
	}
	b.log = append([]change(nil), b.log[drop:]...)
}

func logCost(cs text.ChangeSet) int {
	n := changeCost
	for c := range cs.Changes {
		n += len(c.Insert)
	}
	return n
}

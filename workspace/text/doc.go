// Package text holds immutable text and the edits of it. It is a leaf: no I/O,
// no goroutines, and nothing of the project below it. Everything above changes
// text only through the types here, whether the user types, a model streams, an
// outside program saves, or an edit is reverted.
//
// # Text
//
// A [Text] is a sequence of bytes, the file's own: BOM, "\r\n", Latin-1 and
// stray bytes included. It is bytes, not characters, because what an edit does
// not touch must stay identical on disk, and because Go's own strings, offsets
// and parsers count bytes. Files are not transcoded; [Encoding] is for showing
// them and for encoding what is inserted.
//
// A Text is a persistent balanced tree with leaves of about a kilobyte:
//
//	          size, lines, UTF-16 length
//	           /                      \
//	      ·  ·  ·                  ·  ·  ·
//	     /        \               /        \
//	"package…"  "func…"      "return…"   "}\n…"     leaves
//
// An edit copies one or two leaves and the nodes above them, a few kilobytes
// whatever the size of the text, and shares the rest. So old versions cost
// little to keep, every goroutine may read every version without locks, and
// nothing ever needs a copy "to be safe". Each node knows the sums over its
// leaves, so bytes, UTF-16 units and lines convert into each other on the way
// down. Node says which invariants make those sums right.
//
// # Changes
//
// A [ChangeSet] is an edit as a value: keep so many bytes, replace so many by
// this, to the end of a document of one known length. One for a document of
// another length is refused ([ErrLength]), never applied somewhere else.
//
// With a and b for the same document d, and c for the document that a makes:
//
//	a.Compose(c).Apply(d)       == c.Apply(a.Apply(d))
//	a.Invert(d).Apply(a.Apply(d)) == d
//	a.Compose(b.Map(a, false))  == b.Compose(a.Map(b, true))    as documents
//	Diff(d, e).Apply(d)         == e
//	ParseCM(a.MarshalCM(d), d)  == a
//
// The third is what lets the user and a model edit at once: each side maps what
// it has not seen over the other's, and both arrive at the same text. Map always
// has an answer; whether that answer is wanted is a question for [ChangeSet.Conflicts],
// which finds where both sides changed the same bytes.
//
// The sections of a ChangeSet behave and join exactly as in CodeMirror's class of
// the same name, which the page uses. The tests put ten thousand random cases to
// the real one. Only the unit differs: CodeMirror counts UTF-16 code units.
//
// # Positions
//
// [Byte], [UTF16] and [LineCol] are different types, and only the methods of Text
// convert: ToUTF16, FromUTF16, LineCol, Offset. A byte that is not part of
// valid UTF-8 counts as one unit, since a page shows it as U+FFFD.
//
// Positions that the program computes must be right: a wrong one panics, like an
// index of a slice. Positions and changes from outside (FromUTF16, Offset,
// ParseCM, NewChangeSet, Apply to a given document) are checked and give errors.
package text

// Package text has immutable text and edits of it. It is a leaf: no I/O, no goroutines, and no
// import from the project. All packages above change text only through the types here,
// whether the user types, a model streams, an outside program saves, or an edit is reverted.
//
// # Text
//
// A [Text] is a sequence of bytes, the file's own: BOM, "\r\n", Latin-1 and stray bytes
// included. It is bytes, not characters, because the bytes that an edit does not touch must
// stay identical on disk, and because Go's own strings, offsets and parsers count bytes.
// Files are not transcoded; [Encoding] serves to show them and to encode inserted text.
//
// A Text is a persistent balanced tree with leaves of about a kilobyte:
//
//	          size, lines, UTF-16 length
//	           /                      \
//	      ·  ·  ·                  ·  ·  ·
//	     /        \               /        \
//	"package…"  "func…"      "return…"   "}\n…"     leaves
//
// An edit copies one or two leaves and the nodes above them, a few kilobytes whatever the
// size of the text, and shares the rest. So old versions cost little to keep, every goroutine
// may read every version without locks, and nobody needs a copy "to be safe". Each node has
// the sums over its leaves, so bytes, UTF-16 units and lines convert into each other on the
// way down. The comment of node lists the invariants that make those sums correct.
//
// # Changes
//
// A [ChangeSet] is an edit as a value: keep this many bytes, replace that many by this, to the
// end of a document of one known length. Used with a document of another length it is an error
// ([ErrLength]).
//
// With a and b for the same document d, and c for the document after a:
//
//	a.Compose(c).Apply(d)       == c.Apply(a.Apply(d))
//	a.Invert(d).Apply(a.Apply(d)) == d
//	a.Compose(b.Map(a, false))  == b.Compose(a.Map(b, true))    as documents
//	Diff(d, e).Apply(d)         == e
//	ParseCM(a.MarshalCM(d), d)  == a
//
// The third law lets the user and a model edit at once: each side maps its own changes over
// those of the other, and both arrive at the same text. Map always has a result; whether that
// result is wanted is a question for [ChangeSet.Conflicts], which finds where both sides
// changed the same bytes.
//
// The sections of a ChangeSet behave and join exactly as in CodeMirror's class of the same
// name, which the page uses. The tests compare ten thousand random cases with the real one.
// Only the unit differs: CodeMirror counts UTF-16 code units.
//
// # Positions
//
// [Byte], [UTF16] and [LineCol] are different types, and only the methods of Text convert:
// ToUTF16, FromUTF16, LineCol, Offset. A byte that is not part of valid UTF-8 counts as one
// unit, because a page shows it as U+FFFD.
//
// Positions that the program computes must be valid: an invalid one panics, like an index of
// a slice. Positions and changes from outside (FromUTF16, Offset, ParseCM, NewChangeSet, Apply
// to a given document) are checked and return errors.
package text

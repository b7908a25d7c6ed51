// Package secrets finds tokens, keys and passwords in text, so that they enter
// neither a prompt nor the history.
//
//	text ──> keywords ──> probe ──> window ──> rule's expression ──> entropy, allow lists ──> findings
//	         one pass     at each   around     on the window only
//	         for all      keyword   each hit
//
// The rules are gitleaks' kept set, read from the text of its default
// configuration: 222 of them, each with keywords without which it cannot match.
// What makes this quick on ordinary source, where words such as "key" and "token"
// are everywhere: from a rule's expression we derive a *probe*, a short expression
// anchored at the keyword, and the farthest a match can reach to either side. The
// rule itself runs only around the keywords whose probe matches. Where no probe
// can be derived the rule runs on the whole text; the tests hold both ways equal.
//
// What callers may rely on:
//
//   - Nothing is read, parsed or compiled before the first call; then only the
//     rules whose keywords occur. Everything is safe for concurrent use.
//   - A finding covers the secret, not the variable it is assigned to. Findings
//     are sorted and do not overlap.
//   - Unfinished tells of a text that ends inside what may become a secret, so that
//     one that is typed slowly can be waited for.
//   - Mask keeps length and line structure, hence every offset, and gives back the
//     very slice it got when there is nothing to hide.
//
// Differences from the gitleaks program: nothing is decoded first (base64, hex),
// and a "gitleaks:allow" comment has no effect, since what a comment says must not
// be able to send a token to a model. Rules for certain kinds of file also run when
// no path is given.
package secrets

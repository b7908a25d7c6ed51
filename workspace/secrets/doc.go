// Package secrets finds tokens, keys and passwords in text, so that they enter neither a
// prompt nor the history.
//
//	text ──> keywords ──> probe ──> window ──> rule's expression ──> entropy,     ──> findings
//	         one pass     at each   around     on the window only    allow lists
//	         for all      keyword   each hit
//
// The rules are gitleaks' maintained set, read from the text of its default configuration:
// 222 of them, each with keywords without which it cannot match. What makes this fast on
// ordinary source, where words such as "key" and "token" are everywhere: from a rule's
// expression we derive a *probe*, a short expression anchored at the keyword, and the
// farthest that a match can reach to either side. The rule itself runs only around the
// keywords whose probe matches. If no probe can be derived, the rule runs on the whole text;
// the tests check that both ways give the same findings.
//
// What callers may rely on:
//
//   - Nothing is read, parsed or compiled before the first call, and then only the rules
//     whose keywords occur. Everything is safe for concurrent use.
//   - A finding covers the secret, not the variable it is assigned to. Findings are sorted
//     and do not overlap.
//   - Unfinished reports a text that ends inside a possible secret, so that the caller can
//     wait for one that is typed slowly.
//   - Mask keeps length and line structure, hence every offset, and returns the very slice
//     it got if there is nothing to hide.
//
// Differences from the gitleaks program: nothing is decoded first (base64, hex), and a
// "gitleaks:allow" comment has no effect, because a comment must not be able to send a token
// to a model. Rules for certain kinds of file also run if no path is given.
package secrets

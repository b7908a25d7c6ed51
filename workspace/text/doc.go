// Package text holds immutable text and the edits of it.
package text

package treesitter

import "bytes"

// lineOf is the line number of an offset, from 1.
func lineOf(src []byte, at int) int { return bytes.Count(src[:at], []byte{'\n'}) + 1 }

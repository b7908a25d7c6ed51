package words

import "strings"

// Shell returns a word, such as a path, as a shell reads it: quoted if it would be taken apart or expanded.
func Shell(word string) string {
	plain := func(r rune) bool {
		return r >= 0x80 || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			strings.ContainsRune("_/.-+@:,=%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Wrap breaks the long lines of the Go files given as arguments, in place. Package lines
// decides which and how.
package main

import (
	"bytes"
	"fmt"
	"os"

	"waferpair/build/lint/lines"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := wrap(name); err != nil {
			fmt.Fprintln(os.Stderr, "wrap:", err)
			os.Exit(1)
		}
	}
}

func wrap(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out, err := lines.Wrap(name, src)
	if err != nil || bytes.Equal(src, out) {
		return err
	}
	return os.WriteFile(name, out, 0o666)
}

// Package dropped drops errors by saying nothing.
package dropped

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

func fails() error { return errors.New("no") }

func drop(f *os.File, out io.Writer, b *bufio.Writer) {
	fails() // want "the error of dropped.fails is dropped"
	defer f.Close()
	f.Close()              // want `the error of \(\*os.File\).Close is dropped`
	fmt.Fprintln(out, "a") // out keeps its error
	b.WriteString("b")     // b does so, too
}

// Waferpair is a pair programmer. It streams its edits into a project's files, keeps all of
// them, and can revert each. This binary is its command line. Package app describes what it
// does; the README has the map of the code.
package main

import (
	"os"

	"waferpair/app/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}

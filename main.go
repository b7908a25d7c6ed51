// Waferpair is a pair programmer whose edits stream into a project's files, are
// all kept, and can each be reverted. This binary is its command line; see
// package app for what it does and the README for the map of the code.
package main

import (
	"os"

	"waferpair/app/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}

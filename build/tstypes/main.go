// Tstypes writes the TypeScript types of the JSON that a Go package sends and receives:
// frontend/src/protocol.ts from app/server. It is a development tool of this repository and
// not part of the product; `go generate ./app/server` runs it, and a test here fails when
// the file differs from its output.
//
//	read     the package with its types, and the comments of all it imports of this module   source.go
//	write    sections, in each its root and what that holds, each after its first use        types.go, shapes.go
//	         tables of calls: the argument and the result of each                            calls.go
//	check    that Go writes no string that the page's types do not have                      check.go
//
// The TypeScript of a Go type follows from how encoding/json writes it. An exported
// structure becomes an interface; another one is written out where it is used. A field with
// omitempty is optional, and a pointer without it may be null. A slice becomes a readonly
// list that is never null, which the package must guarantee. A string type with constants
// becomes their union; a numeric type keeps its name; an interface with methods becomes the
// union of the types of its package that implement it. A type with its own MarshalJSON and
// no directive below is an error.
//
// A comment or a tag adds what Go cannot express:
//
//	//ts:section TITLE: NAME   a part of the file, with its root: a type, or a table of calls.
//	                           The comment in which these stand is the head of the file.
//	//ts:type TYPE             on a type with its own MarshalJSON, or a name for one: its type on the page
//	//ts:from MODULE           on a type: the page declares it there, and tstypes does not look into it
//	`is:"WORD"`                on a field: it always has this value, which distinguishes the types of a union
//	`or:"TYPE"`                on a field: it may have this type too
//
// A table of calls is a map from names to the results of a generic function, which wraps a
// Go function; its type parameters In and Out are the argument and the result of the call.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "tstypes:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "tstypes [flags] [PACKAGE]",
		Short: "Write the TypeScript types of what a Go package sends and takes as JSON",
		Long: `tstypes reads a Go package (the one in this folder when none is named) and writes
the TypeScript types of what it sends and takes as JSON. Which, and in which order,
a comment in the package says: see the package comment of build/tstypes.`,
		Example: `  tstypes -o frontend/src/protocol.ts ./app/server
  go generate ./app/server       the same`,
		Args:          cobra.MaximumNArgs(1),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			ts, err := generate(cmd.Context(), append(args, ".")[0])
			if err != nil {
				return err
			}
			if out == "" {
				_, err := cmd.OutOrStdout().Write(ts)
				return err
			}
			if old, err := os.ReadFile(out); err == nil && bytes.Equal(old, ts) {
				return nil // unchanged: do not make the page build again
			}
			return os.WriteFile(out, ts, 0o644)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "the file to write, in the place of the output")
	return c
}

// generate returns the TypeScript of a package.
func generate(ctx context.Context, pattern string) ([]byte, error) {
	s, err := load(ctx, pattern)
	if err != nil {
		return nil, err
	}
	w := newWriter(s)
	if err := w.file(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.root.PkgPath, err)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.root.PkgPath, err)
	}
	return w.out.Bytes(), nil
}

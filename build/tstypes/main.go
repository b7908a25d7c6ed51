// Tstypes writes the TypeScript types of what a Go package sends and takes as
// JSON: frontend/src/protocol.ts from app/server. It is a tool for working on this
// repository and no part of the product; `go generate ./app/server` runs it, and a
// test here fails when the file is not what it would write.
//
//	read     the package with its types, and the comments of all it imports of this module   source.go
//	write    sections, in each its root and what that holds, each after its first use        types.go, shapes.go
//	         tables of calls: what each takes and answers                                    calls.go
//	check    that Go writes no word that the page's types do not have                        check.go
//
// What a Go type is on the page follows from how encoding/json writes it: exported
// structures are interfaces, others are written out where they are used; a field
// that may be left out (omitempty) is optional; a pointer that is not, may be null;
// a slice is a readonly list and never null, which the package owes; a string type
// with constants is the union of them; a type of numbers keeps its name; an
// interface with methods is the union of the types of its package that have them.
// A type that writes itself and does not say how, here, is an error.
//
// What Go cannot say by itself, it says in a comment or a tag:
//
//	//ts:section TITLE: NAME   a part of the file, with its root: a type, or a table of calls.
//	                           The comment in which these stand is the head of the file.
//	//ts:type TYPE             on a type that writes itself, or a name for one: what it is on the page
//	//ts:from MODULE           on a type: the page has it there, and Go does not look into it
//	`is:"WORD"`                on a field: it always has this value, by which a union is told apart
//	`or:"TYPE"`                on a field: it may be this, too
//
// A table of calls is a map from names to what a generic function made of a Go
// function; its type parameters In and Out are what the call takes and answers.
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
				return nil // the page is not built anew for nothing
			}
			return os.WriteFile(out, ts, 0o644)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "the file to write, in the place of the output")
	return c
}

// generate is the TypeScript of a package.
func generate(ctx context.Context, pattern string, buildFlags ...string) ([]byte, error) {
	s, err := load(ctx, pattern, buildFlags)
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

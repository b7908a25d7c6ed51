package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestProtocolIsGenerated holds the page's types against those of the server.
func TestProtocolIsGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	want, err := generate(t.Context(), "../../app/server")
	if err != nil {
		t.Fatalf("the types of app/server cannot be written for the page: %v", err)
	}
	got, err := os.ReadFile("../../frontend/src/protocol.ts")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("frontend/src/protocol.ts (-) is not what follows from app/server (+). Run `go generate ./app/server` and commit it.\n%s",
			cmp.Diff(strings.Split(string(got), "\n"), strings.Split(string(want), "\n")))
	}
}

// TestHouse shows everything that a type can be.
func TestHouse(t *testing.T) {
	got, err := generate(t.Context(), "./testdata/house")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/house.ts")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatHasNoTypeIsAnError: each package in testdata/wrong says in its comment
// what has to be said of it.
func TestWhatHasNoTypeIsAnError(t *testing.T) {
	all, err := filepath.Glob("testdata/wrong/*/*.go")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	for _, file := range all {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(b), "\n")
		want := strings.TrimPrefix(first, "// want: ")
		if _, err := generate(t.Context(), "./"+filepath.Dir(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", file, err, want)
		}
	}
}

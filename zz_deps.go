//go:build deps

package main

import (
	_ "github.com/adrg/xdg"
	_ "github.com/alecthomas/chroma/v2/lexers"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/mattn/go-sqlite3"
	_ "github.com/pelletier/go-toml/v2"
	_ "github.com/pressly/goose/v3"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/smacker/go-tree-sitter/python"
	_ "github.com/spf13/cobra"
	_ "github.com/zricethezav/gitleaks/v8/config"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "golang.org/x/text/unicode/norm"
	_ "golang.org/x/tools/go/packages"
	_ "golang.org/x/tools/imports"
	_ "pgregory.net/rapid"
)

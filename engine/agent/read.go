package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// Read is the tool that reads a file as the turn sees it: open buffers over disk, with the
// turn's own edits.
var Read = model.Tool{
	Name: "read",
	Description: "Reads a file of the project, with line numbers, as it is now. Cite places as path:line. " +
		"Long files come in pieces: ask for lines with from and to.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"relative to the project folder"},` +
		`"from":{"type":"integer","minimum":1,"description":"first line"},` +
		`"to":{"type":"integer","minimum":1,"description":"last line"}},` +
		`"required":["path"],"additionalProperties":false}`),
}

// Bounds of an output of read.
const (
	maxLines     = 500
	maxReadBytes = 48 << 10
	maxLineBytes = 2000
)

func readFile(ctx context.Context, files model.Source, raw []byte) (string, error) {
	var args struct {
		Path string `json:"path"`
		From int    `json:"from"`
		To   int    `json:"to"`
	}
	if err := arguments(raw, &args, `{"path":"main.go","from":1,"to":80}`); err != nil {
		return "", err
	}
	name, err := inside(files, args.Path)
	if err != nil {
		return "", err
	}
	lines, err := linesOf(ctx, files, name)
	if err != nil {
		return "", err
	}
	from := max(args.From, 1)
	to := len(lines)
	if args.To != 0 {
		to = min(args.To, to)
	}
	switch {
	case len(lines) == 0:
		return name + " is empty", nil
	case from > len(lines):
		return "", fmt.Errorf("%s has %d lines, so none from %d on", name, len(lines), from)
	case args.To != 0 && args.To < from:
		return "", fmt.Errorf("lines %d to %d: the last one is before the first", from, args.To)
	}
	shown, until := numbered(lines, from, min(to, from+maxLines-1))
	out := fmt.Sprintf("%s, lines %d to %d of %d\n%s", name, from, until, len(lines), shown)
	if until < to {
		out += fmt.Sprintf("There is more: read it with from %d.\n", until+1)
	}
	return out, nil
}

// linesOf returns the lines of a file that models may read, in characters and without line ends.
// Secrets in them are masked.
func linesOf(ctx context.Context, files model.Source, name string) ([]string, error) {
	all, err := files.Files(ctx)
	if err != nil {
		return nil, err
	}
	if _, listed := slices.BinarySearch(all, name); !listed {
		return nil, noSuchFile(all, name)
	}
	b, err := files.Read(name)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, nil
	}
	shown := text.DetectEncoding(b).Shown(text.Of(b))
	if m, ok := files.(model.Masker); ok { // secrets are looked for in characters
		shown = string(m.Masked(name, []byte(shown)))
	}
	lines := strings.Split(strings.TrimSuffix(shown, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines, nil
}

// numbered returns the lines from from to to, as far as there is room, each with its number,
// and the last line that it has.
func numbered(lines []string, from, to int) (shown string, until int) {
	var b strings.Builder
	for n := from; n <= to; n++ {
		line := lines[n-1]
		if len(line) > maxLineBytes {
			at := maxLineBytes
			for !utf8.RuneStart(line[at]) {
				at--
			}
			line = fmt.Sprintf("%s... (%d more bytes in this line)", line[:at], len(line)-at)
		}
		if n > from && b.Len()+len(line) > maxReadBytes {
			break
		}
		fmt.Fprintf(&b, "%6d\t%s\n", n, line)
		until = n
	}
	return b.String(), until
}

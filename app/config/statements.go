package config

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// statement is a line, or several, of a file: the header of a table, or a key with its value.
type statement struct {
	header     bool
	path       []string // with that of the table it is in
	start, end int      // bytes, from the beginning of its line to after its newline
	keys       []keyAt  // where its keys are, those of inline tables included
}

type keyAt struct {
	path   []string
	offset int
}

// statements returns the statements of a file in order. Comments and empty lines are between them.
func statements(body []byte) (out []statement, err error) {
	if rest, is := bytes.CutPrefix(body, []byte(byteOrderMark)); is { // spaces keep the places
		body = slices.Concat([]byte("   "), rest)
	}
	var p unstable.Parser
	p.Reset(body)
	var table []string
	for p.NextExpression() {
		n := p.Expression()
		s := statement{header: n.Kind != unstable.KeyValue}
		if s.header {
			table = nil
		}
		end := s.name(n, table)
		if s.header {
			table = s.path
		} else {
			end = int(n.Raw.Offset + n.Raw.Length)
			s.inline(n.Value(), s.path)
		}
		s.start = bytes.LastIndexByte(body[:s.keys[0].offset], '\n') + 1
		s.end = len(body)
		if nl := bytes.IndexByte(body[end:], '\n'); nl >= 0 {
			s.end = end + nl + 1
		}
		out = append(out, s)
	}
	if err := p.Error(); err != nil {
		return nil, fmt.Errorf("toml: %w", err)
	}
	return out, nil
}

// name sets the path of a statement, and returns the end of its last key.
func (s *statement) name(n *unstable.Node, table []string) (end int) {
	s.path = slices.Clone(table)
	for it := n.Key(); it.Next(); {
		k := it.Node()
		s.path = append(s.path, string(k.Data))
		s.keys = append(s.keys, keyAt{slices.Clone(s.path), int(k.Raw.Offset)})
		end = int(k.Raw.Offset + k.Raw.Length)
	}
	return end
}

// inline adds the keys of an inline table.
func (s *statement) inline(v *unstable.Node, path []string) {
	if v.Kind != unstable.InlineTable {
		return
	}
	for it := v.Children(); it.Next(); {
		n := it.Node()
		if n.Kind != unstable.KeyValue {
			continue
		}
		in := statement{}
		in.name(n, path)
		s.keys = append(s.keys, in.keys...)
		s.inline(n.Value(), in.path)
	}
}

// places returns the line and column of each key.
func places(body []byte, of []statement) map[string]place {
	out := map[string]place{}
	line, from := 1, 0 // line is that of the byte at from
	for _, s := range of {
		line += bytes.Count(body[from:s.start], []byte("\n"))
		from = s.start
		for _, k := range s.keys {
			before := body[s.start:k.offset]
			at := place{line + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
			if _, is := out[key(k.path)]; !is || s.header && len(k.path) == len(s.path) {
				out[key(k.path)] = at
			}
		}
	}
	return out
}

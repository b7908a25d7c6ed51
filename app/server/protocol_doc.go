package server

import (
	"encoding/json"

	"waferpair/history"
)

// Doc is a file as the page shows it.
type Doc struct {
	Path     string  `json:"path"`
	Doc      int64   `json:"doc"` // names this opening
	Version  int64   `json:"version"`
	Kind     DocKind `json:"kind"`
	Why      string  `json:"why"`  // why it cannot be typed in; "" when it can
	Kept     bool    `json:"kept"` // false: not in the history (ignored, or may hold secrets)
	Text     string  `json:"text"`
	Encoding string  `json:"encoding"` // "utf-8", "utf-8 with BOM", "utf-16le", ...
	EOL      LineEnd `json:"eol"`
	Size     int64   `json:"size"`
}

// DocKind is what a file is; only a text has one that is shown.
type DocKind string

const (
	DocText    DocKind = "text"
	DocBinary  DocKind = "binary"
	DocLarge   DocKind = "large"
	DocOther   DocKind = "other"
	DocMissing DocKind = "missing"
)

// LineEnd is how the lines of a text end.
type LineEnd string

const (
	endLF    LineEnd = "\n"
	endCRLF  LineEnd = "\r\n"
	endMixed LineEnd = "mixed"
)

// DocDelta is what happened to an open document since the page last heard of it.
type DocDelta interface{ docDelta() }

// DocUpdates lead from one version of a document to another, in this order. There
// may be fewer of them than versions, because changes by one author in a row come
// as one.
type DocUpdates struct {
	Path    string   `json:"path"`
	Doc     int64    `json:"doc"`
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Updates []Update `json:"updates"`
}

// DocReset hands the whole document over: the page takes it, and rebases what is
// unconfirmed.
type DocReset struct {
	Path  string `json:"path"`
	Reset Doc    `json:"reset"`
}

// DocMoved says that the file has another name.
type DocMoved struct {
	Path  string `json:"path"`
	Moved string `json:"moved"`
}

func (DocUpdates) docDelta() {}
func (DocReset) docDelta()   {}
func (DocMoved) docDelta()   {}

// Update is one change of a document, or several by the same author in one.
type Update struct {
	Author  history.Author `json:"author"`
	Own     bool           `json:"own,omitempty"` // the page's own push, confirmed: its changes are left out
	Changes Changes        `json:"changes,omitempty"`
}

// Changes are a text.ChangeSet as CodeMirror writes it (ChangeSet.toJSON), with
// positions in UTF-16 units.
//
//ts:type readonly (number | readonly [number, ...string[]])[]
type Changes = json.RawMessage

package server

import (
	"encoding/json"

	"waferpair/history"
)

// Doc is a file as the page sees it.
type Doc struct {
	Path     string  `json:"path"`
	Doc      int64   `json:"doc"` // identifies this opening
	Version  int64   `json:"version"`
	Kind     DocKind `json:"kind"`
	Why      string  `json:"why"`  // why it is read only; "" when it is not
	Kept     bool    `json:"kept"` // false: not in the history (ignored, or may hold secrets)
	Text     string  `json:"text"`
	Encoding string  `json:"encoding"` // "utf-8", "utf-8 with BOM", "utf-16le", ...
	EOL      LineEnd `json:"eol"`
	Size     int64   `json:"size"`
}

// DocKind is the kind of a file; only text is shown.
type DocKind string

const (
	DocText    DocKind = "text"
	DocBinary  DocKind = "binary"
	DocLarge   DocKind = "large"
	DocOther   DocKind = "other"
	DocMissing DocKind = "missing"
)

// LineEnd is the line ending of a text.
type LineEnd string

const (
	endLF    LineEnd = "\n"
	endCRLF  LineEnd = "\r\n"
	endMixed LineEnd = "mixed"
)

// DocDelta is a change of an open document since the page's last frame.
type DocDelta interface{ docDelta() }

// DocUpdates lead from one version of a document to another, in order. There may be fewer of
// them than versions, because consecutive changes by one author are joined.
type DocUpdates struct {
	Path    string   `json:"path"`
	Doc     int64    `json:"doc"`
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Updates []Update `json:"updates"`
}

// DocReset replaces the whole document: the page rebases its unconfirmed changes.
type DocReset struct {
	Path  string `json:"path"`
	Reset Doc    `json:"reset"`
}

// DocMoved says that the file has another path.
type DocMoved struct {
	Path  string `json:"path"`
	Moved string `json:"moved"`
}

func (DocUpdates) docDelta() {}
func (DocReset) docDelta()   {}
func (DocMoved) docDelta()   {}

// Update is one change of a document, or several by the same author joined.
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

package server

import (
	"encoding/json"

	"waferpair/history"
)

// The types of this file and of reads_protocol.go are the other half of
// frontend/src/protocol.ts: same names, same fields. A test compares them.
// Lists are never null in JSON (see list), and what may be null is a pointer or
// raw JSON.

// Hello is the first message to a page, and comes again when another folder is
// opened.
type Hello struct {
	Type    string          `json:"type"`
	Build   string          `json:"build"`
	Page    string          `json:"page"`
	Project *Project        `json:"project"`
	UI      json.RawMessage `json:"ui"`
	Prefs   json.RawMessage `json:"prefs"`
	Recent  []Recent        `json:"recent"`
	Native  bool            `json:"native"`

	Unrecorded string `json:"unrecorded"`
}

// Project is the open folder.
type Project struct {
	Root     string            `json:"root"`
	Name     string            `json:"name"`
	ReadOnly string            `json:"readOnly"`
	Fork     string            `json:"fork"`
	Forks    []string          `json:"forks"`
	Head     history.EditID    `json:"head"`
	Session  history.SessionID `json:"session"`
	Home     string            `json:"home"`
	Other    string            `json:"other"`
}

// Recent is a folder that was open before.
type Recent struct {
	Root   string `json:"root"`
	Name   string `json:"name"`
	Opened int64  `json:"opened"`
	Gone   bool   `json:"gone"`
}

// Reply answers a call.
type Reply struct {
	Type  string   `json:"type"`
	Re    int64    `json:"re"`
	OK    any      `json:"ok"`
	Error *Failure `json:"error,omitempty"`
}

// Frame is what happened since the last one that the page acknowledged.
type Frame struct {
	Type       string         `json:"type"`
	Seq        int64          `json:"seq"`
	Docs       []DocNews      `json:"docs,omitempty"`
	Turn       *TurnNews      `json:"turn,omitempty"`
	Head       history.EditID `json:"head,omitempty"`
	Files      bool           `json:"files,omitempty"`
	Project    *Project       `json:"project,omitempty"`
	FolderGone *bool          `json:"folderGone,omitempty"`
	Unrecorded *string        `json:"unrecorded,omitempty"`
	Notices    []Notice       `json:"notices,omitempty"`
	Progress   []Progress     `json:"progress,omitempty"`
}

// Notice is something that the user should know.
type Notice struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	At    int64  `json:"at"`
}

// Progress is how far long work has got.
type Progress struct {
	What  string `json:"what"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// DocNews is a DocUpdates, a DocReset or a DocMoved.
type DocNews interface{ docNews() }

// DocUpdates lead from one version of a document to another.
type DocUpdates struct {
	Path    string   `json:"path"`
	Doc     int64    `json:"doc"`
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Updates []Update `json:"updates"`
}

// DocReset hands the whole document over.
type DocReset struct {
	Path  string `json:"path"`
	Reset Doc    `json:"reset"`
}

// DocMoved says that the file has another name.
type DocMoved struct {
	Path  string `json:"path"`
	Moved string `json:"moved"`
}

func (DocUpdates) docNews() {}
func (DocReset) docNews()   {}
func (DocMoved) docNews()   {}

// Update is one change of a document, or several by the same author in one.
type Update struct {
	Author  string          `json:"author"`
	Own     bool            `json:"own,omitempty"`
	Changes json.RawMessage `json:"changes,omitempty"`
}

// Doc is a file as the page shows it.
type Doc struct {
	Path     string `json:"path"`
	Doc      int64  `json:"doc"`
	Version  int64  `json:"version"`
	Kind     string `json:"kind"`
	Why      string `json:"why"`
	Kept     bool   `json:"kept"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	EOL      string `json:"eol"`
	Size     int64  `json:"size"`
}

// Request is what the user asks of a turn.
type Request struct {
	Text  string   `json:"text"`
	Model string   `json:"model"`
	File  string   `json:"file"`
	From  int      `json:"from"`
	To    int      `json:"to"`
	Scope []string `json:"scope"`
}

// Done is what a change of the history came to.
type Done struct {
	Edits []history.EditID `json:"edits"`
	Files []string         `json:"files"`
}

// list is s, or an empty list: JSON has null for a nil slice, the page wants [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

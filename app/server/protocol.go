package server

import (
	"encoding/json"

	"waferpair/history"
)

//go:generate go run ../../build/tstypes -o ../../frontend/src/protocol.ts

// What crosses the WebSocket and /api, generated from the Go types of app/server
// and those that they hold: what is to be changed or said here is changed and said
// there.
//
//	page -> server   Call   {id, cmd, ...arguments}    answered by one Reply with that id
//	                 Ack    {ack: seq}                 the page has shown the frame with that number
//	server -> page   Hello, first, and again when another folder was opened or
//	                 closed: then nothing of the one before is open any more;
//	                 Reply; Frame, at most one in flight
//
// A Frame holds everything that happened since the last one was acknowledged,
// and is at most 16 ms old when it leaves. The server makes it from what it has
// (buffers, the turn's log, the history), and keeps no queue: a page that is
// slow gets fewer and larger frames, and Go's memory does not grow.
//
//ts:section server -> page: ServerMessage
//ts:section a turn: TurnDelta
//ts:section page -> server: commands
//ts:section /api: reads; GET unless said otherwise: reads

// What Go owes these types beyond what build/tstypes sees: lists are never null in
// JSON (see list). Tests check each message and answer that they get.

// ServerMessage is all that comes over the WebSocket.
type ServerMessage interface{ serverMessage() }

// Hello is the first message to a page, and comes again when another folder is
// opened.
type Hello struct {
	Type    string   `json:"type" is:"hello"`
	Build   string   `json:"build"`        // of the binary; a page with another one reloads itself
	Page    string   `json:"page"`         // this connection's name
	Project *Project `json:"project"`      // null: no folder is open
	UI      UIState  `json:"ui" or:"null"` // as this project was left
	Prefs   Prefs    `json:"prefs" or:"null"`
	Recent  []Recent `json:"recent"`
	Native  bool     `json:"native"` // the page is in the desktop window

	Unrecorded string `json:"unrecorded"` // as in Frame
}

// Reply answers a call.
type Reply struct {
	Type  string   `json:"type" is:"reply"`
	Re    int64    `json:"re"`
	OK    any      `json:"ok"`
	Error *Failure `json:"error,omitempty"`
}

// Frame is what happened since the last one that the page acknowledged.
type Frame struct {
	Type       string         `json:"type" is:"frame"`
	Seq        int64          `json:"seq"`
	Docs       []DocDelta     `json:"docs,omitempty"`
	Turn       *TurnDelta     `json:"turn,omitempty"`    // of the session that the page shows
	Running    *RunningTurns  `json:"running,omitempty"` // of all sessions, when others run than before
	Head       history.EditID `json:"head,omitempty"`    // the history grew up to here
	Files      bool           `json:"files,omitempty"`   // the list of files changed
	Project    *Project       `json:"project,omitempty"` // it is not as it was: another fork, another session
	FolderGone *bool          `json:"folderGone,omitempty"`
	// why nothing can be recorded, and what becomes of what is typed; "" when that is over
	Unrecorded *string    `json:"unrecorded,omitempty"`
	Notices    []Notice   `json:"notices,omitempty"`
	Progress   []Progress `json:"progress,omitempty"` // of work that takes more than 300 ms; done === total ends it
}

func (Hello) serverMessage() {}
func (Reply) serverMessage() {}
func (Frame) serverMessage() {}

// Project is the open folder.
type Project struct {
	Root     string            `json:"root"`
	Name     string            `json:"name"`
	ReadOnly string            `json:"readOnly"` // why nothing can be changed; "" when it can
	Fork     string            `json:"fork"`
	Forks    []string          `json:"forks"`
	Head     history.EditID    `json:"head"`
	Session  history.SessionID `json:"session"` // that the page shows, to which its requests go; 0 when there is none
	Home     string            `json:"home"`    // the user's home folder, to shorten paths
	// why another folder that is in its place is not used for it; "" when there is none
	Other string `json:"other"`
}

// Recent is a folder that was open before.
type Recent struct {
	Root   string `json:"root"`
	Name   string `json:"name"`
	Opened int64  `json:"opened"` // ms since 1970
	Gone   bool   `json:"gone"`
}

// Notice is something that the user should know.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Text  string      `json:"text"`
	At    int64       `json:"at"`
}

// NoticeLevel is how much a notice matters.
type NoticeLevel string

const (
	levelInfo    NoticeLevel = "info"
	levelWarning NoticeLevel = "warning"
	levelError   NoticeLevel = "error"
)

// Progress is how far long work has got.
type Progress struct {
	What  string `json:"what"`
	Done  int    `json:"done"`
	Total int    `json:"total"`           // 0: unknown; done then counts seconds
	Model bool   `json:"model,omitempty"` // a model does it, or waits for it
}

// UIState is what a page writes to come back exactly. Go only stores it.
//
//ts:from ./kept
type UIState = json.RawMessage

// Prefs are the user's, for all projects. Go only stores them.
//
//ts:from ./kept
type Prefs = json.RawMessage

// list is s, or an empty list: JSON has null for a nil slice, the page wants [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

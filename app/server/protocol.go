package server

import (
	"encoding/json"

	"waferpair/history"
)

//go:generate go run ../../build/tstypes -o ../../frontend/src/protocol.ts

// The messages over the WebSocket and the answers of /api, generated from the Go types of
// app/server and those that they use: change types and comments there.
//
//	page -> server   Call   {id, cmd, ...arguments}    answered by one Reply with that id
//	                 Ack    {ack: seq}                 the page has shown the frame with that number
//	server -> page   Hello, first, and again when another folder was opened or the project
//	                 was closed: then no document is open any more;
//	                 Reply; Frame, at most one in flight
//
// A Frame holds everything that happened since the last acknowledged one, and is at most 16 ms
// old when it is sent. The server computes it from its state (buffers, the turn's log, the
// history) and keeps no queue: a slow page gets fewer and larger frames, and costs no memory
// in Go.
//
//ts:section server -> page: ServerMessage
//ts:section a turn: TurnDelta
//ts:section page -> server: commands
//ts:section /api: reads; GET unless said otherwise: reads

// One rule that build/tstypes does not see: lists are never null in JSON (see list). Tests
// check each message and answer.

// ServerMessage is a message to a page.
type ServerMessage interface{ serverMessage() }

// Hello is the first message to a page, and is sent again when another folder is opened.
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
	Running    *RunningTurns  `json:"running,omitempty"` // of all sessions, when the set of running turns changed
	Head       history.EditID `json:"head,omitempty"`    // the newest edit, when the history grew
	Files      bool           `json:"files,omitempty"`   // the list of files changed
	Project    *Project       `json:"project,omitempty"` // when it changed: another fork, another session
	FolderGone *bool          `json:"folderGone,omitempty"`
	// why nothing can be recorded, and where typing is kept; "" when that is over
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
	Session  history.SessionID `json:"session"` // the shown session, which gets new requests; 0: none
	Home     string            `json:"home"`    // the user's home folder, to shorten paths
	// why another folder in its place is not used; "" when there is none
	Other string `json:"other"`
}

// Recent is a folder that was open before.
type Recent struct {
	Root   string `json:"root"`
	Name   string `json:"name"`
	Opened int64  `json:"opened"` // ms since 1970
	Gone   bool   `json:"gone"`
}

// Notice is a message for the user.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Text  string      `json:"text"`
	At    int64       `json:"at"`
}

// NoticeLevel is the severity of a notice.
type NoticeLevel string

const (
	levelInfo    NoticeLevel = "info"
	levelWarning NoticeLevel = "warning"
	levelError   NoticeLevel = "error"
)

// Progress describes how far long work has come.
type Progress struct {
	What  string `json:"what"`
	Done  int    `json:"done"`
	Total int    `json:"total"`           // 0: unknown; done then counts seconds
	Model bool   `json:"model,omitempty"` // a model does it, or is waiting for it
}

// UIState is what a page writes to come back exactly. Go only stores it.
//
//ts:from ./kept
type UIState = json.RawMessage

// Prefs are the user's, for all projects. Go only stores them.
//
//ts:from ./kept
type Prefs = json.RawMessage

// list returns s, or an empty list: JSON has null for a nil slice, but the page wants [].
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

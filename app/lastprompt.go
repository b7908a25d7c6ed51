package app

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"waferpair/engine/prompt"
	"waferpair/history"
)

// What a session's last prompt had, and where. The next one has it in the same places, so that its
// beginning is in the provider's cache. It is kept in memory, and as a mark in the history for the next
// run of the program.

// maxTurnsBack bounds the turns of a conversation that are looked at.
const maxTurnsBack = 100

// prompts is what the last prompts leave for the next ones.
type prompts struct {
	core *core

	mu     sync.Mutex
	last   map[history.SessionID]prompt.Memory
	recent []history.SessionID // those in last, the oldest first
}

// maxPrompts bounds the sessions whose last prompt is known. Others begin a new prefix.
const maxPrompts = 16

// of returns what the session's last prompt had; nil if nothing is known of it.
func (l *prompts) of(ctx context.Context, session history.SessionID) *prompt.Memory {
	if m := l.inMemory(session); m != nil {
		return m
	}
	value, err := l.core.store.Mark(ctx, memoryMark(session))
	var m prompt.Memory
	if err != nil || value == "" || json.Unmarshal([]byte(value), &m) != nil { // the session begins a new prefix
		return nil
	}
	return &m
}

func (l *prompts) inMemory(session history.SessionID) *prompt.Memory {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, ok := l.last[session]; ok {
		return &m
	}
	return nil
}

func (l *prompts) keep(session history.SessionID, m prompt.Memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[history.SessionID]prompt.Memory{}
	}
	if _, known := l.last[session]; !known {
		l.recent = append(l.recent, session)
	}
	l.last[session] = m
	if len(l.recent) > maxPrompts {
		delete(l.last, l.recent[0])
		l.recent = l.recent[1:]
	}
}

// forget drops what is known of all prompts.
func (l *prompts) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.last)
	l.recent = nil
}

// anew begins a new prefix with the session's next prompt.
func (l *prompts) anew(session history.SessionID) {
	l.keep(session, prompt.Memory{})
	l.remember(session)
}

// memoryMark is the mark in the history with what a session's last prompt had, and where.
func memoryMark(session history.SessionID) string {
	return fmt.Sprintf(history.CacheMark+"last prompt of session %d", session)
}

// remember stores what the session's last prompt had for the next run of the program.
func (l *prompts) remember(session history.SessionID) {
	m := l.inMemory(session)
	if m == nil {
		return
	}
	if raw, err := json.Marshal(m); err == nil {
		// without the mark the next run begins a new prefix
		_ = l.core.store.SetMark(context.Background(), memoryMark(session), string(raw))
	}
}

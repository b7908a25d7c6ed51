package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"waferpair/app/mask"
)

// uiState is what a page stores in order to come back. The history holds it with the secrets
// masked that the draft and earlier requests contain; memory holds it unmasked while the
// program runs. A second instance, which cannot write the history, only has it in memory.
type uiState struct {
	mu  sync.Mutex
	raw json.RawMessage
}

const uiMark = "ui"

// maxUI bounds it, in bytes: there is room for a draft of maxRequest, however JSON escapes its
// characters.
const maxUI = 12 << 20

func (u *uiState) load(ctx context.Context, o *opened) {
	v, err := o.History().Mark(ctx, uiMark)
	if err != nil {
		o.host.notice(levelWarning, fmt.Sprintf("The tabs of last time could not be read: %v", err))
	}
	if json.Valid([]byte(v)) {
		u.raw = json.RawMessage(v)
	}
}

func (u *uiState) get() json.RawMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.raw
}

// set stores raw; it is durable on return.
func (u *uiState) set(ctx context.Context, o *opened, raw json.RawMessage) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.raw = raw
	if o.ReadOnly() {
		return nil
	}
	masked, err := mask.JSON(raw)
	if err != nil {
		return fmt.Errorf("keep the state of the tabs: %w", err)
	}
	if err := o.History().SetMark(ctx, uiMark, string(masked)); err != nil {
		return err
	}
	kept, err := o.History().Mark(ctx, uiMark) // waits for the commit
	if err == nil && kept != string(masked) {
		err = errors.New("keep the state of the tabs: it could not be written to the history")
	}
	return err
}

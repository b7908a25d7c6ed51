package app

import (
	"context"
	"strings"

	"waferpair/app/mask"
	"waferpair/history"
)

// maxMomentName bounds the characters of a name.
const maxMomentName = 200

// NameMoment names the moment right after an edit; an empty name removes the name.
func (p *caretaker) NameMoment(ctx context.Context, id history.EditID, name string) error {
	if err := p.writable(); err != nil {
		return err
	}
	return p.store.NameMoment(ctx, id, firstLine(strings.TrimSpace(mask.Words(name)), maxMomentName))
}

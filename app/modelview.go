package app

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"

	"waferpair/engine/model"
	"waferpair/workspace/text"
)

// modelView is the project as language models see it: without excluded files, as characters, and with
// masked secrets.
type modelView struct {
	*turnFiles
	now model.Source // the files as the turn sees them
}

func (v modelView) Files(ctx context.Context) ([]string, error) { return v.now.Files(ctx) }

// LinkTo implements model.LinkSource.
func (v modelView) LinkTo(path string) string {
	root, err := filepath.EvalSymlinks(v.Root())
	if err != nil {
		return ""
	}
	to, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(root, to)
	if err != nil || !filepath.IsLocal(rel) || filepath.ToSlash(rel) == path {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (v modelView) Read(path string) ([]byte, error) {
	if why := v.exclusion(path); why != "" {
		return nil, errors.New(why)
	}
	b, err := v.now.Read(path)
	if err != nil {
		return nil, err
	}
	if e := text.DetectEncoding(b); e != text.UTF8 && !text.IsBinary(b) { // secrets are looked for in characters
		b = []byte(e.Decode(bytes.TrimPrefix(b, e.BOM())))
	}
	return v.covers.masked(path, b), nil
}

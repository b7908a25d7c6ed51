package server

import (
	"context"

	"waferpair/app"
	"waferpair/history"
)

type createArgs struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
}

func create(_ *call, o *opened, in createArgs) (null, error) {
	if in.Dir {
		return nil, o.MakeFolder(o.ctx, in.Path)
	}
	_, err := o.MakeFile(o.ctx, in.Path)
	return nil, err
}

type renameArgs struct {
	Path string `json:"path"`
	To   string `json:"to"`
}

// rename moves a file or a folder. Pages that have files of it open go on with
// them under the new names.
func rename(_ *call, o *opened, in renameArgs) (null, error) {
	_, err := o.Rename(o.ctx, in.Path, in.To)
	return nil, err
}

// Removal is what the deletion of a file or a folder takes with it.
type Removal struct {
	Dir   bool       `json:"dir"`
	Kept  int        `json:"kept"`  // files whose deletion can be taken back
	Lost  []app.Lost `json:"lost"`  // the first of those that cannot be brought back
	Total int        `json:"total"` // of those
	Sum   string     `json:"sum"`   // names exactly these; "" when there are none
}

// maxLost is how many of the files that cannot be brought back are named.
const maxLost = 200

// readRemoval is looked at before a remove.
func readRemoval(ctx context.Context, o *opened, in pathArgs) (Removal, error) {
	r, err := o.Removal(ctx, in.Path)
	if err != nil {
		return Removal{}, err
	}
	return Removal{r.Dir, r.Kept, list(r.Lost[:min(len(r.Lost), maxLost)]), len(r.Lost), r.Sum}, nil
}

type removeArgs struct {
	Path string `json:"path"`
	Sum  string `json:"sum"`
}

type removeAnswer struct {
	Edits []history.EditID `json:"edits"` // that bring back what can be
	// what other programs put there or changed meanwhile, or what could not be deleted
	Stayed []string `json:"stayed"`
	Why    string   `json:"why"` // it could not be
}

// remove deletes what the Removal with this sum listed, and nothing else.
func remove(_ *call, o *opened, in removeArgs) (removeAnswer, error) {
	done, err := o.Remove(o.ctx, in.Path, in.Sum)
	return removeAnswer{list(done.Edits), list(done.Stayed), done.Why}, err
}

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

// rename moves a file or a folder. Documents that pages have open follow.
func rename(_ *call, o *opened, in renameArgs) (null, error) {
	_, err := o.Rename(o.ctx, in.Path, in.To)
	return nil, err
}

// Removal lists the files that deleting a file or a folder would remove.
type Removal struct {
	Dir   bool       `json:"dir"`
	Kept  int        `json:"kept"`  // files whose deletion can be reverted
	Lost  []app.Lost `json:"lost"`  // the first of the files that cannot be restored
	Total int        `json:"total"` // the number of all of them
	Sum   string     `json:"sum"`   // identifies exactly these; "" when there are none
}

// maxLost bounds the files in Lost.
const maxLost = 200

// readRemoval is called before remove.
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
	Edits []history.EditID `json:"edits"` // reverting these restores what can be restored
	// created or changed by other programs meanwhile, or not deletable
	Stayed []string `json:"stayed"`
	Why    string   `json:"why"` // why deletion failed
}

// remove deletes the files of the Removal with this sum, and nothing else.
func remove(_ *call, o *opened, in removeArgs) (removeAnswer, error) {
	done, err := o.Remove(o.ctx, in.Path, in.Sum)
	return removeAnswer{list(done.Edits), list(done.Stayed), done.Why}, err
}

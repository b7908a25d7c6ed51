package server

type createArgs struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
}

func create(_ *call, o *opened, in createArgs) (any, error) {
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
func rename(_ *call, o *opened, in renameArgs) (any, error) {
	_, err := o.Rename(o.ctx, in.Path, in.To)
	return nil, err
}

func remove(_ *call, o *opened, in pathArgs) (any, error) {
	_, err := o.Remove(o.ctx, in.Path)
	return nil, err
}

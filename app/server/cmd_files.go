package server

type createArgs struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
}

func create(c *call, o *opened, in createArgs) (any, error) {
	if in.Dir {
		return nil, o.MakeFolder(c.page.ctx, in.Path)
	}
	_, err := o.MakeFile(c.page.ctx, in.Path)
	return nil, err
}

type renameArgs struct {
	Path string `json:"path"`
	To   string `json:"to"`
}

// rename moves a file or a folder. Pages that have files of it open go on with
// them under the new names.
func rename(c *call, o *opened, in renameArgs) (any, error) {
	_, err := o.Rename(c.page.ctx, in.Path, in.To)
	return nil, err
}

func remove(c *call, o *opened, in pathArgs) (any, error) {
	_, err := o.Remove(c.page.ctx, in.Path)
	return nil, err
}

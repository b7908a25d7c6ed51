package server

import "fmt"

type unloadedModel struct {
	Now bool `json:"now"` // false: an answer uses it, and its memory is given back when that has ended
}

// unloadModel gives the memory of a model file back.
func unloadModel(_ *call, o *opened, in modelName) (unloadedModel, error) {
	m, err := o.localModel(in.Name)
	if err != nil {
		return unloadedModel{}, err
	}
	return unloadedModel{m.Unload()}, nil
}

// removeModel removes the name of a model file; the file stays where it is.
func removeModel(_ *call, o *opened, in modelName) (null, error) {
	files := o.host.opt.Files
	if files == nil {
		return nil, errNoFile(in.Name)
	}
	if m, err := o.localModel(in.Name); err == nil {
		m.Unload()
	}
	is, err := files.Remove(in.Name)
	if err != nil {
		return nil, err
	}
	if !is {
		return nil, fail(codeGone, fmt.Sprintf("No model file is called %s: it was removed already.", in.Name))
	}
	return nil, nil
}

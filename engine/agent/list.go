package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"waferpair/engine/model"
)

// List is the tool that lists files.
var List = model.Tool{
	Name: "list",
	Description: "Lists files of the project: what a folder holds, or the files that a glob such as " +
		"'cmd/**/*.go' names. Without a path it lists the project folder.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"a folder or a glob, relative to the project folder"}},` +
		`"additionalProperties":false}`),
}

// maxListed bounds the entries of an output of list.
const maxListed = 400

func listFiles(ctx context.Context, files model.Source, raw []byte) (string, error) {
	var args struct {
		Path string `json:"path"`
	}
	if err := arguments(raw, &args, `{"path":"cmd/**/*.go"}`); err != nil {
		return "", err
	}
	name, err := inside(files, args.Path)
	if err != nil {
		return "", err
	}
	all, err := files.Files(ctx)
	if err != nil {
		return "", err
	}
	var entries []string
	if strings.ContainsAny(name, "*?[") {
		if entries, err = matching(all, name); err != nil {
			return "", err
		}
	} else {
		entries = children(all, name)
	}
	if len(entries) == 0 {
		if near := nearNames(all, name); len(near) > 0 {
			return "", fmt.Errorf("nothing to list at %s; near it: %s", name, strings.Join(near, ", "))
		}
		return "", fmt.Errorf("nothing to list at %s", name)
	}
	more := len(entries) - maxListed
	out := strings.Join(entries[:min(len(entries), maxListed)], "\n") + "\n"
	if more > 0 {
		out += fmt.Sprintf("There are %d more: name a folder or a narrower glob.\n", more)
	}
	return out, nil
}

func matching(all []string, glob string) (out []string, err error) {
	if err := model.CheckGlob(glob); err != nil {
		return nil, fmt.Errorf("%q is no glob: use patterns such as 'pkg/**/*.go'", glob)
	}
	fence := model.Fence{Globs: []string{glob}}
	for _, f := range all {
		if fence.Allows(f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// children returns the files of a folder and the folders in it, each with the number of files
// below; a file itself when the name is one.
func children(all []string, folder string) (out []string) {
	prefix := folder + "/"
	if folder == "." {
		prefix = ""
	}
	below, inFolder := 0, ""
	done := func() {
		if below > 0 {
			out = append(out, fmt.Sprintf("%s/ (%d files)", inFolder, below))
		}
		below = 0
	}
	for _, f := range all { // sorted: the files of a folder follow each other
		rest, in := strings.CutPrefix(f, prefix)
		if !in {
			if f == folder {
				out = append(out, f)
			}
			continue
		}
		first, _, deep := strings.Cut(rest, "/")
		if sub := prefix + first; !deep {
			done()
			out = append(out, f)
		} else if sub != inFolder || below == 0 {
			done()
			inFolder, below = sub, 1
		} else {
			below++
		}
	}
	done()
	return out
}

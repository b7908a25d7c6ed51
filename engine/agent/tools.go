package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"waferpair/engine/model"
)

// Tools are the tools of a language model that can call tools: it edits by patches and looks
// the rest up.
func Tools() []model.Tool { return []model.Tool{ApplyPatch, Read, List} }

// runs are the tools that the agent carries out itself. Their outputs are bounded, and say how
// to get the rest.
var runs = map[string]func(context.Context, model.Source, []byte) (string, error){
	Read.Name: readFile,
	List.Name: listFiles,
}

// run carries out a call. Its error tells the model what was wrong with it.
func run(ctx context.Context, files model.Source, call model.Item) (string, error) {
	return runs[call.Name](ctx, files, []byte(call.Text()))
}

// arguments decodes the arguments of a call; a field that the tool does not have is an error,
// because a model that invents one expects something of it.
func arguments(raw []byte, into any, example string) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil && dec.More() {
		err = errors.New("there is more after the object")
	}
	if err != nil {
		return fmt.Errorf("the arguments are no JSON as this tool takes it (%s); an example: %s", wrong(err), example)
	}
	return nil
}

// wrong says what is wrong with arguments, without the names of our types.
func wrong(err error) string {
	var of *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &of):
		return strings.TrimPrefix(err.Error(), "json: ")
	case of.Field == "":
		return "a JSON " + of.Value + " instead of an object"
	}
	return of.Field + " cannot be a JSON " + of.Value
}

// inside returns a path of the model relative to the project folder, or an error when it leads
// out of it. Nothing is looked up.
func inside(files model.Source, name string) (string, error) {
	name = filepath.ToSlash(strings.TrimSpace(name))
	if root := filepath.ToSlash(files.Root()); path.IsAbs(name) && root != "" {
		if name == root {
			return ".", nil
		}
		rest, below := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/")
		if !below {
			return "", outside(name)
		}
		name = rest
	}
	name = path.Clean(name)
	if path.IsAbs(name) || filepath.VolumeName(name) != "" || name == ".." || strings.HasPrefix(name, "../") {
		return "", outside(name)
	}
	return name, nil
}

func outside(name string) error {
	return fmt.Errorf("%s is outside the project: paths are relative to the project folder", name)
}

// noSuchFile returns the error for a file that models may not read, or that does not exist. It
// tells the two apart only as far as the project's list of files does.
func noSuchFile(all []string, name string) error {
	if slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, name+"/") }) || name == "." {
		return fmt.Errorf("%s is a folder: use list", name)
	}
	if near := nearNames(all, name); len(near) > 0 {
		return fmt.Errorf("there is no file %s that can be read; near it: %s", name, strings.Join(near, ", "))
	}
	return fmt.Errorf(
		"there is no file %s that can be read: it does not exist, is ignored, may hold secrets, or is no text",
		name)
}

// nearNames returns up to five files whose names are like a name: those of the same base name
// first, then those whose base names differ by a few letters.
func nearNames(all []string, name string) []string {
	base := strings.ToLower(path.Base(name))
	type near struct {
		file string
		far  int
	}
	var found []near
	for _, f := range all {
		far := distance(strings.ToLower(path.Base(f)), base)
		if far <= 2 || far <= len(base)/4 {
			found = append(found, near{f, far})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.far - b.far })
	var out []string
	for _, f := range found[:min(len(found), 5)] {
		out = append(out, f.file)
	}
	return out
}

// distance is the number of letters to insert, delete or replace between two names. Names whose
// lengths differ by more than nearNames allows are far apart without counting.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 2+len(b)/4 || -d > 2+len(b)/4 || len(a) > 255 || len(b) > 255 {
		return 1 << 10
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

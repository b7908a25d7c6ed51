//go:build unix

package workspace

import "context"

// Children lists one directory, including ignored entries, in byte order. Like Walk it
// skips `.git` and temporary files and does not follow links.
func (f *Folder) Children(ctx context.Context, name string) ([]Entry, error) {
	clean := ""
	if name != "" && name != "." {
		var err error
		if clean, err = f.Path(name); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := f.entries(clean, func(Entry) bool { return true })
	if err != nil {
		return nil, fail("list", clean, err)
	}
	return entries, nil
}

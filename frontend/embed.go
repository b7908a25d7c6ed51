// Package frontend holds the built page. `make build` fills dist; before that
// it is empty but for a placeholder, and the server says so.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page is the built page: index.html and its assets.
func Page() fs.FS {
	page, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded by name above
	}
	return page
}

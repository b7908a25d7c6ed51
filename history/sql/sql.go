// Package sql holds the schema of the history as numbered goose migrations. A
// released migration never changes: a change of the schema is a new file. Numbers
// only grow, and there is no 7.
package sql

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS

// Version is the number of the newest migration, and the user_version of a
// database that has them all.
const Version = 10

package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sizes is where the bytes of a store are.
type Sizes struct {
	Database, Log, Backups, Ballast, Other, Total int64 // files
	Deltas, Contents                              int64 // within the database, as stored
	Edits, Ops, Files                             int64 // counts
}

// Size measures the store, for doctor.
func (s *Store) Size(ctx context.Context) (Sizes, error) {
	var z Sizes
	entries, err := os.ReadDir(s.files.dir)
	if err != nil {
		return z, fmt.Errorf("measure the history: %w", err)
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			continue // a log that was just removed
		}
		*z.bucket(e.Name()) += fi.Size()
		z.Total += fi.Size()
	}
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(length(delta)), 0) FROM edit), (SELECT count(*) FROM edit),
		(SELECT coalesce(sum(length(data)), 0) FROM blob) + (SELECT coalesce(sum(length(data)), 0) FROM chunk),
		(SELECT count(*) FROM op), (SELECT count(*) FROM path)`).Scan(&z.Deltas, &z.Edits, &z.Contents, &z.Ops, &z.Files)
	if err != nil {
		return z, fmt.Errorf("measure the history: %w", err)
	}
	return z, nil
}

func (z *Sizes) bucket(name string) *int64 {
	base := filepath.Base(filesOf("").db)
	switch {
	case name == base:
		return &z.Database
	case name == base+"-wal" || name == base+"-shm":
		return &z.Log
	case strings.HasPrefix(name, "backup-"):
		return &z.Backups
	case name == "ballast":
		return &z.Ballast
	}
	return &z.Other
}

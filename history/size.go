package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sizes are the sizes of a store's parts, in bytes where nothing else is said.
type Sizes struct {
	Database, Log, Backups, Ballast, Other, Total int64 // files
	Deltas, Contents                              int64 // within the database, as stored
	Edits, Ops, Files                             int64 // counts
	Free                                          int64 // within the database, for new edits
	Cap, Counted                                  int64 // the bound of SetCap (0: none), and the size that it bounds
	Reclaimed                                     int64 // edits whose content was removed for the cap
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
			continue // for example a log that was just removed
		}
		*z.bucket(e.Name()) += fi.Size()
		z.Total += fi.Size()
	}
	err = s.read.QueryRowContext(ctx, `SELECT (SELECT coalesce(sum(length(delta)), 0) FROM edit) + (SELECT coalesce(sum(length(delta)), 0) FROM step), (SELECT count(*) FROM edit),
		(SELECT coalesce(sum(length(data)), 0) FROM blob) + (SELECT coalesce(sum(length(data)), 0) FROM chunk),
		(SELECT count(*) FROM op), (SELECT count(*) FROM path)`).Scan(&z.Deltas, &z.Edits, &z.Contents, &z.Ops, &z.Files)
	if err != nil {
		return z, fmt.Errorf("measure the history: %w", err)
	}
	return z, s.measured(ctx, &z)
}

// measured adds the sizes that concern the cap.
func (s *Store) measured(ctx context.Context, z *Sizes) (err error) {
	f, err := measure(ctx, s.read, s.files)
	if err == nil {
		z.Free, z.Counted = f.free, f.counted()
		z.Cap, err = capOf(ctx, s.read)
	}
	if err == nil {
		err = s.read.QueryRowContext(ctx, "SELECT count(*) FROM edit WHERE state & ? <> 0", stateReclaimed).Scan(&z.Reclaimed)
	}
	if err != nil {
		err = fmt.Errorf("measure the history: %w", err)
	}
	return err
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

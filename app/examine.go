package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"waferpair/history"
)

// Examination is one finding of Examine.
type Examination struct {
	What, Says, Next string
	OK               bool
}

// Examine opens a project as any command does and reports the result, for doctor. A
// folder that was never opened is only scanned: it gets no history.
func Examine(ctx context.Context, dir string, opt Options) []Examination {
	var notices []string
	opt.Notice = func(s string) { notices = append(notices, s) }
	p := newProject(opt.withDefaults())
	if err := p.openFolder(dir); err != nil {
		return unopened(err)
	}
	kept, err := p.core.historyDir()
	if err == nil && !history.Exists(kept) {
		return p.examineNew(ctx, kept)
	}
	if p, err = Open(ctx, dir, opt); err != nil {
		return unopened(err)
	}
	out := []Examination{p.examineFiles(), p.kept.examineHistory(ctx)}
	for _, n := range notices {
		out = append(out, Examination{"notice", n, "", true})
	}
	if err := p.Close(); err != nil {
		out = append(out, Examination{"close", err.Error(), "", false})
	}
	return out
}

func unopened(err error) []Examination {
	return []Examination{{"project", err.Error(), "name the folder of your project with -C", false}}
}

// examineNew scans a folder whose history, in dir, does not exist yet.
func (p *Project) examineNew(ctx context.Context, dir string) []Examination {
	p.core.initDisk()
	if err := errors.Join(p.recovery.Scan(ctx), p.core.folder.Close()); err != nil {
		return unopened(err)
	}
	return []Examination{p.examineFiles(), examineRoom(dir)}
}

func (p *Project) examineFiles() Examination {
	return Examination{"project", fmt.Sprintf("%s, %d files", p.Root(), len(p.intake.List.All())), "", true}
}

// examineRoom reports whether a history can be created in dir.
func examineRoom(dir string) Examination {
	above := filepath.Dir(dir)
	for above != filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil {
			break
		}
		above = filepath.Dir(above)
	}
	if err := unix.Access(above, unix.W_OK|unix.X_OK); err != nil {
		return Examination{"history", fmt.Sprintf("it cannot be made in %s: %v", above, err),
			"set XDG_DATA_HOME to a folder that you may write to", false}
	}
	return Examination{"history", "none yet: the project was not opened before; the first command makes it, in " +
		dir, "", true}
}

func (p *caretaker) examineHistory(ctx context.Context) Examination {
	s, err := p.store.Size(ctx)
	if err != nil {
		return Examination{"history", err.Error(), "run 'waferpair history check'", false}
	}
	dir := history.Dir(p.opt.DataHome, p.folder.Root())
	return Examination{"history",
		fmt.Sprintf("%s: %d edits of %d files, %.1f MB (history %.1f, backups %.1f, reserve for a full disk %.1f), %s",
			dir, s.Edits, s.Files, mb(s.Total), mb(s.Database+s.Log), mb(s.Backups), mb(s.Ballast), capWords(s)), "", true}
}

// capWords describes the limit of the history.
func capWords(s history.Sizes) string {
	if s.Cap == 0 {
		return "no limit ('waferpair history size --cap' sets one)"
	}
	return fmt.Sprintf("%.1f MB of a limit of %.1f", mb(s.Counted), mb(s.Cap))
}

func mb(n int64) float64 { return float64(n) / 1e6 }

package app

import (
	"context"
	"fmt"

	"waferpair/history"
)

// Examination is one thing that Examine looked at.
type Examination struct {
	What, Says, Next string
	OK               bool
}

// Examine opens a project as any command does and says how that went, for doctor.
func Examine(ctx context.Context, dir string, opt Options) []Examination {
	var notices []string
	opt.Notice = func(s string) { notices = append(notices, s) }
	p, err := Open(ctx, dir, opt)
	if err != nil {
		return []Examination{{"project", err.Error(), "name the folder of your project with -C", false}}
	}
	out := []Examination{{"project", fmt.Sprintf("%s, %d files", p.Root(), len(p.intake.List.All())), "", true}}
	out = append(out, p.kept.examineHistory(ctx))
	for _, n := range notices {
		out = append(out, Examination{"notice", n, "", true})
	}
	if err := p.Close(); err != nil {
		out = append(out, Examination{"close", err.Error(), "", false})
	}
	return out
}

func (p *caretaker) examineHistory(ctx context.Context) Examination {
	s, err := p.store.Size(ctx)
	if err != nil {
		return Examination{"history", err.Error(), "run 'waferpair history check'", false}
	}
	dir := history.Dir(p.opt.DataHome, p.folder.Root())
	return Examination{"history", fmt.Sprintf("%s: %d edits of %d files, %.1f MB (history %.1f, backups %.1f, reserve for a full disk %.1f), %s",
		dir, s.Edits, s.Files, mb(s.Total), mb(s.Database+s.Log), mb(s.Backups), mb(s.Ballast), capWords(s)), "", true}
}

// capWords says what bounds the history.
func capWords(s history.Sizes) string {
	if s.Cap == 0 {
		return "no limit ('waferpair history size --cap' sets one)"
	}
	return fmt.Sprintf("%.1f MB of the %.1f that it may take", mb(s.Counted), mb(s.Cap))
}

func mb(n int64) float64 { return float64(n) / 1e6 }

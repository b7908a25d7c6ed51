package store

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"tidewatch/gauge"
	"tidewatch/internal/textutil"
	"time"
)

const csvHeader = "station,time,level,quality"

// ExportOptions say how readings are exported.
type ExportOptions struct {
	Delimiter rune
	Header    bool
	Since     time.Time
	Decimals  int
	userNote  string
}

// DefaultOptions are those of the command line.
func DefaultOptions() ExportOptions {
	return ExportOptions{Delimiter: ',', Header: true, Decimals: 1}
}

type Exporter struct {
	store Store
	out   io.Writer
	opts  ExportOptions
}

func NewExporter(s Store, out io.Writer, opts ExportOptions) *Exporter {
	return &Exporter{store: s, out: out, opts: opts}
}

// CSV writes the readings of a station as comma separated values.
func (e *Exporter) CSV(station string) (int, error) {
	rs, err := e.store.Query(station, e.opts.Since)
	if err != nil {
		return 0, err
	}
	w := csv.NewWriter(e.out)
	w.Comma = e.opts.Delimiter
	if e.opts.Header {
		w.Write([]string{"station", "time", "level", "quality"})
	}
	for _, r := range rs {
		level := strconv.FormatFloat(r.LevelCm, 'f', e.opts.Decimals, 64)
		w.Write([]string{r.StationID, r.Taken.Format(time.RFC3339), level, r.Quality.String()})
	}
	w.Flush()
	return len(rs), w.Error()
}

// Table writes the readings of a station as aligned text.
func (e *Exporter) Table(station string, width int) (int, error) {
	rs, err := e.store.Query(station, e.opts.Since)
	if err != nil {
		return 0, err
	}
	for _, r := range rs {
		fmt.Fprintln(e.out, textutil.Pad(r.StationID, width), textutil.Pad(fmt.Sprint(r.LevelCm), 8), r.Quality)
	}
	sum := 0.0
	for _, r := range rs {
		sum += r.LevelCm
	}
	if len(rs) > 0 {
		fmt.Fprintf(e.out, "mean %.1f\n", sum/float64(len(rs)))
	}
	return len(rs), nil
}

func (e *Exporter) Summary(rs []gauge.Reading) string {
	s := "readings: " + strconv.Itoa(len(rs))
	bad := 0
	for _, r := range rs {
		if r.Quality == gauge.QualityBad {
			bad++
		}
	}
	return s + ", bad: " + strconv.Itoa(bad)
}

func writeMarkdown(out io.Writer, rs []gauge.Reading, title string) {
	fmt.Fprintln(out, "| station | level |")
	for _, r := range rs {
		fmt.Fprintf(out, "| %s | %.1f |\n", r.StationID, r.LevelCm)
	}
}

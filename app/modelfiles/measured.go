package modelfiles

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"waferpair/app/userfile"
	"waferpair/engine/infer"
)

// Measured is how fast a file ran on this computer.
type Measured struct {
	Load    float64 `json:"load_ms"`
	First   float64 `json:"first_token_ms"` // behind a prompt of 512 tokens
	Prefill float64 `json:"prefill_tok_s"`
	Decode  float64 `json:"decode_tok_s"`
	Memory  int64   `json:"memory_bytes"`
}

// learned is the file with what was measured: of files by their paths, and of the computer. A damaged one is
// empty: all of it can be measured again.
type learned struct {
	Files    map[string]measuredFile `json:"files,omitempty"`
	Computer *bandwidth              `json:"computer,omitempty"`
}

// measuredFile is a measurement, and the file as it was then.
type measuredFile struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	Measured
}

// bandwidth is how fast a computer's memory was read.
type bandwidth struct {
	Computer string    `json:"computer"` // a home folder may be that of several
	Time     time.Time `json:"time"`     // of the last measurement
	Best     time.Time `json:"best"`     // of the one whose speed this is
	Speed    float64   `json:"bytes_per_s"`
}

func (f *Folder) readLearned() learned {
	body, err := os.ReadFile(f.State)
	if err != nil {
		return learned{} // mostly, nothing was measured
	}
	return parseLearned(body)
}

func parseLearned(body []byte) (l learned) {
	if json.Unmarshal(body, &l) != nil {
		return learned{}
	}
	return l
}

func (f *Folder) learn(change func(*learned)) error {
	return userfile.Replace(f.State, func(old []byte) ([]byte, error) {
		l := parseLearned(old)
		change(&l)
		return json.MarshalIndent(l, "", "  ")
	})
}

// FileOf returns the file of a name that was added; "": there is none.
func (f *Folder) FileOf(name string) string {
	if CheckName(name) != nil {
		return ""
	}
	file, err := os.Readlink(f.link(name))
	if err != nil {
		return ""
	}
	return file
}

// MeasuredOf returns how fast a file was when it was measured last; false: it was not, or is another one now.
func (f *Folder) MeasuredOf(file string) (Measured, bool) {
	path, info, err := place(file)
	if err != nil {
		return Measured{}, false
	}
	m, is := f.readLearned().Files[path]
	return m.Measured, is && m.Size == info.Size() && m.Time.Equal(info.ModTime())
}

// mostMeasured bounds the files that are remembered; those that have gone are forgotten first.
const mostMeasured = 200

// Remember notes how fast a file was.
func (f *Folder) Remember(file string, m Measured) error {
	path, info, err := place(file)
	if err != nil {
		return err
	}
	return f.learn(func(l *learned) {
		for old := range l.Files {
			if _, err := os.Stat(old); err != nil || len(l.Files) > mostMeasured {
				delete(l.Files, old)
			}
		}
		if l.Files == nil {
			l.Files = map[string]measuredFile{}
		}
		l.Files[path] = measuredFile{info.Size(), info.ModTime(), m}
	})
}

// place returns the path of a file itself, whatever link leads to it.
func place(file string) (string, os.FileInfo, error) {
	path, err := filepath.Abs(file)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(path)
	return path, info, err
}

// The best measurement of a month counts: another one was disturbed. After an hour it is measured again.
const (
	bandwidthCounts = 30 * 24 * time.Hour
	bandwidthAgain  = time.Hour
)

// Bandwidth returns how many bytes of memory a second this computer reads. Now and then it measures that, for less
// than half a second.
func (f *Folder) Bandwidth() float64 {
	host, _ := os.Hostname() // "" is one, too
	now := bandwidth{Computer: host + " " + runtime.GOARCH, Time: time.Now()}
	old := f.readLearned().Computer
	if old == nil || old.Computer != now.Computer || time.Since(old.Best).Abs() > bandwidthCounts {
		old = &bandwidth{}
	}
	if old.Speed > 0 && time.Since(old.Time).Abs() < bandwidthAgain {
		return old.Speed
	}
	now.Speed, now.Best = infer.Bandwidth(), now.Time
	if old.Speed > now.Speed {
		now.Speed, now.Best = old.Speed, old.Best
	}
	// where it cannot be kept, it is measured each time
	_ = f.learn(func(l *learned) { l.Computer = &now })
	return now.Speed
}

package config

import (
	"strings"
	"testing"
	"time"
)

// TestModelFiles: sizes, times and threads are read; what is none is named with its line, and is not there.
func TestModelFiles(t *testing.T) {
	c := Parse("c.toml", []byte("[model_files]\nmemory = \"8GB\"\nkeep = \"1h30m\"\nthreads = 4\n"))
	if m := c.ModelFiles; m.Memory != 8e9 || m.Keep == nil || *m.Keep != 90*time.Minute || m.Threads != 4 ||
		c.Problem != nil || len(c.Unknown) != 0 {
		t.Errorf("%+v, %v, %v", m, c.Problem, c.Unknown)
	}
	if m := Parse("c.toml", []byte("[model_files]\nkeep = \"0s\"")).ModelFiles; m.Keep == nil || *m.Keep != 0 {
		t.Errorf("%+v", m)
	}
	for line, want := range map[string]string{
		`memory = "much"`:  `c.toml:2:1: model_files.memory: "much" is no size; write one such as "8GB"`,
		`memory = 8`:       `c.toml:2:1: model_files.memory: it must be text in quotes`,
		`memory = "-1GB"`:  `is no size`,
		`memory = "0"`:     `is no size`,
		`keep = "soon"`:    `c.toml:2:1: model_files.keep: "soon" is no time; write one such as "10m"`,
		`keep = "-5m"`:     `is no time`,
		`keep = 10`:        `it must be text in quotes`,
		`threads = 0`:      `c.toml:2:1: model_files.threads: it must be 1 to 256`,
		`threads = "four"`: `it must be a whole number`,
		`memori = "8GB"`:   `c.toml:2:1: model_files.memori: nothing here reads this key`,
	} {
		c := Parse("c.toml", []byte("[model_files]\n"+line+"\n"))
		if c.ModelFiles != (ModelFiles{}) || c.Problem != nil || len(c.Unknown) != 1 ||
			!strings.Contains(c.Unknown[0].Error(), want) {
			t.Errorf("%s: %+v, %v, %v; want %s", line, c.ModelFiles, c.Problem, c.Unknown, want)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"500MB": 5e8, "2 gb": 2e9, "1.5GiB": 3 << 29, "7": 7, "12k": 12000, "": 0,
		"GB": 0, "8XB": 0, "nanGB": 0, "1e30TB": 0, "-1": 0, "8GBGB": 0} {
		if got, is := Size(text); got != want || is != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, is, want)
		}
	}
}

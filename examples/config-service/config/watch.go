package config

import (
	"os"
	"time"
)

// Watch calls changed with the new configuration whenever the file's
// modification time moves, until stop is closed. A file that ParseConfig
// rejects is skipped: the old configuration stays.
func Watch(path string, every time.Duration, stop <-chan struct{}, changed func(*Config)) {
	var last time.Time
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		info, err := os.Stat(path)
		if err != nil || !info.ModTime().After(last) {
			continue
		}
		last = info.ModTime()
		if cfg, err := ParseConfig(path); err == nil {
			changed(cfg)
		}
	}
}

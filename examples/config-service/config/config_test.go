package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flags.conf")
	if err := os.WriteFile(path, []byte("# flags\nport = 9000\nbeta = on\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := ParseConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Port != 9000 || cfg.Values["beta"] != "on" {
		t.Errorf("ParseConfig(%q) = %+v", path, cfg)
	}
}

func TestParseConfigMissing(t *testing.T) {
	if _, err := ParseConfig(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("ParseConfig of a missing file succeeded")
	}
}

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDoctorOnGraphics(t *testing.T) {
	none, one := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(one, "renderD128"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env        map[string]string
		dri        string
		ok         bool
		says, next string
	}{
		{nil, one, true, "the default", ""},
		{map[string]string{"WAFERPAIR_GPU": "always"}, one, true, "1 render devices", "WEBKIT_DISABLE_DMABUF_RENDERER=1"},
		{map[string]string{"WAFERPAIR_GPU": "ondemand"}, none, true, "0 render devices", "no graphics card"},
		{map[string]string{"WEBKIT_DISABLE_COMPOSITING_MODE": "1"}, none, true,
			"WebKit is told WEBKIT_DISABLE_COMPOSITING_MODE=1", ""},
		{map[string]string{"WAFERPAIR_GPU": "maybe"}, none, false, "never, ondemand or always", "unset"},
	} {
		f := examineGraphics(func(k string) string { return c.env[k] }, c.dri)
		if f.OK != c.ok || !strings.Contains(f.Says, c.says) || !strings.Contains(f.Next, c.next) ||
			(c.next == "") != (f.Next == "") {
			t.Errorf("%v: %+v", c.env, f)
		}
	}
}

func TestDoctorNamesMissingLibraries(t *testing.T) {
	const listed = "\tlibgtk-3.so.0 (libc6,x86-64) => /lib/x86_64-linux-gnu/libgtk-3.so.0\n\tlibsoup-3.0.so.0 (libc6,x86-64) => /lib/libsoup-3.0.so.0\n"
	want := []string{"libwebkit2gtk-4.1-0", "libjavascriptcoregtk-4.1-0"}
	if got := missingLibraries(listed); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestDoctorOnWatching(t *testing.T) {
	dir := t.TempDir()
	set := func(name, value string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if f := examineInotify(dir); !f.OK || !strings.Contains(f.Says, "no inotify") {
		t.Errorf("without inotify: %+v", f)
	}
	set("max_user_watches", "8192")
	set("max_user_instances", "128")
	if f := examineInotify(dir); !strings.Contains(f.Says, "8192 folders by 128") ||
		!strings.Contains(f.Next, "sysctl fs.inotify.max_user_watches=") {
		t.Errorf("few: %+v", f)
	}
	set("max_user_watches", "524288")
	if f := examineInotify(dir); f.Next != "" {
		t.Errorf("enough: %+v", f)
	}
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waferpair/app/window"
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

func TestDoctorSaysHowToGetTheWindow(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&window.MissingError{Path: "w", Libraries: []string{"libwebkit2gtk-4.1.so.0", "libgtk-3.so.0"}},
			"apt-get install libwebkit2gtk-4.1-0 libgtk-3-0"},
		{&window.MissingError{Path: "w", Libraries: []string{"libunknown.so.1"}}, "install what is missing"},
		{&window.Unavailable{Reason: "there is none"}, "'make build'"},
	} {
		if got := advice(fmt.Errorf("asked: %w", c.err)); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q", c.err, got)
		}
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

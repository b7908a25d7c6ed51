package window

import (
	"os"
	"slices"
	"testing"
)

func TestTheUsersGraphicsVariablesStay(t *testing.T) {
	const theirs = "WEBKIT_WEB_RENDER_DEVICE_FILE"
	for _, v := range withoutGPU {
		t.Setenv(v[0], "")
		os.Unsetenv(v[0])
	}
	t.Setenv(theirs, "/dev/dri/renderD128")
	leaveGPU()
	if got := os.Getenv("GDK_GL"); got != "disable" {
		t.Errorf("GDK_GL is %q, so GTK still looks for OpenGL", got)
	}
	if got := os.Getenv(theirs); got != "/dev/dri/renderD128" {
		t.Errorf("%s is %q: what the user had set is lost", theirs, got)
	}
	env := outside(os.Environ())
	if slices.Contains(env, "GDK_GL=disable") || slices.Contains(env, "WEBKIT_DISABLE_DMABUF_RENDERER=1") {
		t.Error("the user's browser is started without the graphics card, too")
	}
	if !slices.Contains(env, theirs+"=/dev/dri/renderD128") {
		t.Error("the user's own setting does not reach the user's browser")
	}
}

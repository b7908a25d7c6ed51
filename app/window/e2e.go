//go:build desktop && e2e

package window

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <webkit2/webkit2.h>

#include "gtk.h"

static GtkWidget *give_view(WebKitAutomationSession *s, gpointer data) { return wp_view(); }

static void on_session(WebKitWebContext *c, WebKitAutomationSession *s, gpointer data) {
	g_signal_connect(s, "create-web-view", G_CALLBACK(give_view), NULL);
}

// A WebDriver may drive the view that wp_begin makes.
static void allow_automation(void) {
	WebKitWebContext *c = webkit_web_context_get_default();
	webkit_web_context_set_automation_allowed(c, TRUE);
	g_signal_connect(c, "automation-started", G_CALLBACK(on_session), NULL);
}
*/
import "C"

import (
	"context"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Probe lets the tests of the real window (build tag e2e) do what they cannot
// do from outside.
type Probe struct{ ctx *context.Context }

// automation lets a WebDriver in.
func automation() C.int {
	C.allow_automation()
	return 1
}

func probes(ctx *context.Context) []any { return []any{&Probe{ctx}} }

// Drop does what Wails does when GTK says that files were dropped.
func (p *Probe) Drop(paths []string) { runtime.EventsEmit(*p.ctx, "wails:file-drop", 10, 20, paths) }

// Faults dereferences nil n times and tells how often that was recovered from.
func (*Probe) Faults(n int) (recovered int) {
	for range n {
		func() {
			defer func() {
				if recover() != nil {
					recovered++
				}
			}()
			var nobody *Unavailable
			_ = nobody.Reason + "!"
		}()
	}
	return recovered
}

//go:build desktop || dev

// The page's process takes longer to start than GTK's window does, so it is
// started first: Run makes the view and lets it load, and Wails, which asks for
// both a moment later, is given these.
//
// The linker prefers the three definitions below to WebKit's. Nothing that the
// process answers is looked at before GTK's main loop runs; by then Wails has
// connected its signals and registered its scheme.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <webkit2/webkit2.h>
#include "gtk.h"

static WebKitUserContentManager *manager;
static GtkWidget *view;
static gboolean loading; // until Wails asks for it

#define WEBKITS(name) ((__typeof__(&name))webkits(#name))

static void *webkits(const char *name) {
	void *f = dlsym(RTLD_NEXT, name);
	if (!f) g_error("this WebKit has no %s", name);
	return f;
}

void wp_begin(int automated, int gpu) {
	manager = WEBKITS(webkit_user_content_manager_new)();
	view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "user-content-manager", manager, "is-controlled-by-automation", automated != 0, NULL);
	if (!gpu) webkit_settings_set_hardware_acceleration_policy(webkit_web_view_get_settings(WEBKIT_WEB_VIEW(view)), WEBKIT_HARDWARE_ACCELERATION_POLICY_NEVER);
	WEBKITS(webkit_web_view_load_uri)(WEBKIT_WEB_VIEW(view), WP_PAGE);
	loading = TRUE;
}

void *wp_view(void) { return view; }

WebKitUserContentManager *webkit_user_content_manager_new(void) {
	return manager ? g_object_ref(manager) : WEBKITS(webkit_user_content_manager_new)();
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *m) {
	return view && m == manager ? view : WEBKITS(webkit_web_view_new_with_user_content_manager)(m);
}

void webkit_web_view_load_uri(WebKitWebView *v, const gchar *uri) {
	if (!loading || GTK_WIDGET(v) != view) WEBKITS(webkit_web_view_load_uri)(v, uri);
	loading = FALSE;
}

//go:build desktop || dev

#include <gtk/gtk.h>
#include <webkit2/webkit2.h>
#include <stdlib.h>
#include <string.h>
#include "gtk.h"

static GtkWindow *window;
static struct wp_place place;

// Wails sets GDK_BACKEND in the same way, a moment later.
int wp_init(void) {
	const char *session = g_getenv("XDG_SESSION_TYPE");
	if (!session || !*session || !strcmp(session, "unspecified") || !strcmp(session, "x11"))
		g_setenv("GDK_BACKEND", "x11", FALSE);
	return gtk_init_check(NULL, NULL);
}

// --- the window's place ---

static gboolean on_configure(GtkWidget *w, GdkEvent *e, gpointer data) {
	if (place.maximised) return FALSE; // keep what it comes back to
	gtk_window_get_position(window, &place.x, &place.y);
	gtk_window_get_size(window, &place.width, &place.height);
	place.known = 1;
	return FALSE;
}

static gboolean on_state(GtkWidget *w, GdkEventWindowState *e, gpointer data) {
	place.maximised = (e->new_window_state & GDK_WINDOW_STATE_MAXIMIZED) != 0;
	return FALSE;
}

struct wp_place wp_last_place(void) { return place; }

// on_screen tells whether enough of a title bar at x, y could be grabbed.
static gboolean on_screen(int x, int y) {
	GdkDisplay *d = gdk_display_get_default();
	for (int i = 0; i < gdk_display_get_n_monitors(d); i++) {
		GdkRectangle area;
		gdk_monitor_get_workarea(gdk_display_get_monitor(d, i), &area);
		if (x >= area.x - 200 && x <= area.x + area.width - 100 && y >= area.y && y <= area.y + area.height - 60) return TRUE;
	}
	return FALSE;
}

// --- the page stays the page ---

// Only our own page is ever loaded: what it may call is not for strangers.
static gboolean on_policy(WebKitWebView *v, WebKitPolicyDecision *d, WebKitPolicyDecisionType type, gpointer data) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) return FALSE;
	WebKitNavigationAction *a = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(d));
	const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(a));
	if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && uri && g_str_has_prefix(uri, WP_PAGE)) return FALSE;
	webkit_policy_decision_ignore(d);
	return TRUE;
}

// A page whose process died is loaded again; it resumes where it was. When it
// dies again and again, that is left to be seen.
static void on_crash(WebKitWebView *v, WebKitWebProcessTerminationReason reason, gpointer data) {
	static gint64 last;
	gint64 now = g_get_monotonic_time();
	g_printerr("waferpair: the page's process ended unexpectedly%s\n", now - last < 10 * G_USEC_PER_SEC ? " again" : "; loading the page again");
	if (now - last >= 10 * G_USEC_PER_SEC) webkit_web_view_load_uri(v, WP_PAGE);
	last = now;
}

// --- taking over ---

static void find_view(GtkWidget *w, gpointer found) {
	if (WEBKIT_IS_WEB_VIEW(w)) *(GtkWidget **)found = w;
	else if (GTK_IS_CONTAINER(w)) gtk_container_forall(GTK_CONTAINER(w), find_view, found);
}

static GtkWidget *find_window(GtkWidget **view) {
	GtkWidget *found = NULL;
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l && !found; l = l->next) {
		*view = NULL;
		find_view(l->data, view);
		if (*view) found = l->data;
	}
	g_list_free(all);
	return found;
}

// Wails centres the window in an idle callback of its own. One that is queued
// while callbacks run comes after it, and before the first frame.
static gboolean move(gpointer data) {
	int *at = data;
	if (at[0] && on_screen(at[1], at[2])) gtk_window_move(window, at[1], at[2]);
	free(at);
	return G_SOURCE_REMOVE;
}

static gboolean adopt(gpointer at) {
	GtkWidget *view = NULL, *found = find_window(&view);
	if (!found) {
		free(at);
		return G_SOURCE_REMOVE;
	}
	window = GTK_WINDOW(found);
	g_signal_connect(window, "configure-event", G_CALLBACK(on_configure), NULL);
	g_signal_connect(window, "window-state-event", G_CALLBACK(on_state), NULL);
	g_signal_connect(view, "decide-policy", G_CALLBACK(on_policy), NULL);
	g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_crash), NULL);
	g_idle_add(move, at);
	return G_SOURCE_REMOVE;
}

void wp_adopt(int placed, int x, int y) {
	int *at = malloc(3 * sizeof *at);
	if (!at) abort();
	at[0] = placed, at[1] = x, at[2] = y;
	g_idle_add(adopt, at);
}

// An SVG takes a while to draw: that is done while the page's process starts.
static gboolean set_icon(gpointer image) {
	GdkPixbufLoader *loader = gdk_pixbuf_loader_new();
	gboolean read = gdk_pixbuf_loader_write_bytes(loader, image, NULL);
	if (gdk_pixbuf_loader_close(loader, NULL) && read && window) gtk_window_set_icon(window, gdk_pixbuf_loader_get_pixbuf(loader));
	g_object_unref(loader);
	g_bytes_unref(image);
	return G_SOURCE_REMOVE;
}

void wp_icon(const void *image, long size) { g_idle_add(set_icon, g_bytes_new(image, size)); }

static gboolean present(gpointer data) {
	if (window) gtk_window_present(window);
	return G_SOURCE_REMOVE;
}

void wp_present(void) { g_idle_add(present, NULL); }

static gboolean prefer_dark(gpointer dark) {
	GtkSettings *s = gtk_settings_get_default();
	if (s) g_object_set(s, "gtk-application-prefer-dark-theme", GPOINTER_TO_INT(dark), NULL);
	return G_SOURCE_REMOVE;
}

void wp_prefer_dark(int dark) { g_idle_add(prefer_dark, GINT_TO_POINTER(dark)); }

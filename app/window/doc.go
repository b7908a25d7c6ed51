// Package window is the desktop window: the same page that a browser shows, in
// a WebKitGTK view that Wails opens. It is the only package that knows Wails
// and GTK, and only with the build tag "desktop". Without it nothing links against
// GTK, which costs every start 50 ms, and FindProgram looks for a program that has
// the window: the command line is built without, and becomes that one to open it.
//
//	page  --- fetch wails://wails/… --> Options.Handler   (static page, /api, boot.json)
//	page  --- WebSocket ws://127.0.0.1 --> app/server      (commands and events)
//	page  --- window.go.window.Native.* --> Native         (dialogs, title, quit: only for a window)
//
// Callers may rely on this: there is one window per process; the page can never navigate away,
// so that only our page reaches Native; Run returns after Options.Close has run, however the
// window was closed (button, Ctrl+Q, SIGTERM, SIGINT, SIGHUP).
//
// Five properties of Wails 2.9 and WebKitGTK need code here:
//
//	GPU policy            gpu.go          Never, or software rendering drops to 20 frames/s
//	signal handlers       signals.go      WebKit's lack SA_ONSTACK, which kills Go at a nil dereference
//	inherited pipes       seal.go         a child started during a response would keep it open
//	frames stop unmapped  the page flushes by timer, too
//	EventsEmit            not used for anything but a dropped folder: it has no back-pressure
package window

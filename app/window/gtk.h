// What Wails does not do for a GTK window. All functions but those said
// otherwise run on GTK's thread.

struct wp_place {
	int known, x, y, width, height, maximised;
};

#define WP_PAGE "wails://wails/" // what Wails loads

int wp_init(void);                          // whether there is a display
void wp_begin(int automated, int gpu);      // starts the page's process; gpu 0: without the graphics card
void *wp_view(void);                        // the WebKitWebView
void wp_prefer_dark(int dark);              // any thread
void wp_adopt(int placed, int x, int y);    // any thread: take over the window that Wails made
void wp_icon(const void *image, long size); // any thread: SVG or PNG; after wp_adopt
void wp_present(void);                      // any thread: bring it to the front
struct wp_place wp_last_place(void);        // after the main loop

// What Wails does not do for a GTK window. All functions but those said
// otherwise run on GTK's thread.

struct wp_place {
	int known, x, y, width, height, maximised;
};

int wp_init(void);                          // whether there is a display
void wp_prefer_dark(int dark);              // any thread
void wp_adopt(int placed, int x, int y);    // any thread: take over the window that Wails made
void wp_present(void);                      // any thread: bring it to the front
struct wp_place wp_last_place(void);        // after the main loop

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"waferpair/app"
)

type rootArgs struct {
	Root string `json:"root"`
}

// openProject answers at once, unless the path cannot work; pages get a Hello when the folder is
// open.
func openProject(c *call, in rootArgs) (null, error) {
	if !filepath.IsAbs(in.Root) {
		return nil, usage(fmt.Sprintf("%q is not the full path of a folder.", in.Root))
	}
	h := c.page.host
	if o := h.current(); o != nil && o.running() {
		return nil, fail(codeBusy, "A turn is running: stop it, or wait until it is done, before you open another folder.")
	}
	go func() {
		if err := h.open(c.page.server.ctx(), in.Root); err != nil {
			h.notOpened(in.Root, err)
		}
	}()
	return nil, nil
}

func closeProject(c *call, _ none) (null, error) { return nil, c.page.host.closeProject() }

// useFolder accepts the folder that is at the project's path as the project's, although it is
// another one than before. If it was refused when it was opened, it is opened again.
func useFolder(c *call, o *opened, _ none) (null, error) {
	var other *app.OtherFolderError
	if !errors.As(o.Ready(o.ctx), &other) {
		return nil, o.UseFolder()
	}
	h := c.page.host
	go func() {
		if err := h.openAgain(c.page.server.ctx(), o, true); err != nil {
			h.notOpened(o.Root(), err)
		}
	}()
	return nil, nil
}

func forgetRecent(c *call, in rootArgs) (null, error) { return nil, c.page.host.files.forget(in.Root) }

type uiArgs struct {
	UI UIState `json:"ui"`
}

func setUI(_ *call, o *opened, in uiArgs) (null, error) {
	if err := checkStored(in.UI, maxUI); err != nil {
		return nil, err
	}
	return nil, o.ui.set(o.ctx, o, in.UI)
}

type prefsArgs struct {
	Prefs Prefs `json:"prefs"`
}

func setPrefs(c *call, in prefsArgs) (null, error) {
	if err := checkStored(in.Prefs, maxPrefs); err != nil {
		return nil, err
	}
	return nil, c.page.host.files.setPrefs(in.Prefs)
}

// checkStored checks that what a page stores is a JSON object of limited size. Only pages interpret
// it.
func checkStored(raw json.RawMessage, most int) error {
	switch {
	case len(raw) == 0 || raw[0] != '{':
		return usage("There is nothing to keep: an object is expected.")
	case len(raw) > most:
		return usage(fmt.Sprintf("This is more than %d MB; nothing was kept.", most>>20))
	}
	return nil
}

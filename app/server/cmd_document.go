package server

import (
	"waferpair/workspace"
)

type pathArgs struct {
	Path string `json:"path"`
}

// openDocument opens a file for the page and sends its changes from then on. A document that the
// page already has open continues from its newest version.
func openDocument(c *call, o *opened, in pathArgs) (Doc, error) {
	f, err := o.Show(c.page.ctx, in.Path)
	if err != nil {
		return Doc{}, err
	}
	d := wireDoc(f)
	pg := c.page
	pg.mu.Lock()
	defer pg.mu.Unlock()
	pg.docs[f.Path] = newOpenDoc(f)
	pg.dirty.opened(f.Path)
	return Doc{}, pg.answerLocked(c.answered(), d, nil)
}

func closeDocument(c *call, in pathArgs) (null, error) {
	pg := c.page
	pg.mu.Lock()
	defer pg.mu.Unlock()
	delete(pg.docs, in.Path)
	pg.dirty.closed(in.Path)
	return nil, nil
}

type reopenArgs struct {
	Path    string `json:"path"`
	Doc     int64  `json:"doc"`
	Version int64  `json:"version"`
	Page    string `json:"page"`
}

// reopenDocument continues a document after a lost connection; false when that is not possible.
// In any case the next frame has updates of it. They include the page's own update if its last
// push had arrived, and only then.
func reopenDocument(c *call, o *opened, in reopenArgs) (bool, error) {
	pg := c.page
	if in.Page == pg.name {
		return false, nil // it is on this connection
	}
	old, err := pg.host.retire(pg.ctx, in.Page)
	if err != nil || old == nil {
		return false, err
	}
	old.mu.Lock()
	d := old.docs[in.Path]
	delete(old.docs, in.Path)
	old.mu.Unlock()
	if d == nil || d.id == 0 || d.id != in.Doc || !d.resume(workspace.Version(in.Version)) {
		return false, nil
	}
	d.alias, d.confirm = in.Page, true
	pg.mu.Lock()
	defer pg.mu.Unlock()
	pg.docs[d.path] = d
	pg.dirty.opened(d.path)
	return false, pg.answerLocked(c.answered(), true, nil)
}

// resume continues from the version that the page says it has.
func (d *openDoc) resume(v workspace.Version) bool {
	switch v {
	case d.sent.version:
		d.arrived()
	case d.had.version:
		d.resend, d.flying = true, false
	default:
		return false
	}
	return true
}

func save(_ *call, o *opened, in pathArgs) (null, error) {
	return nil, o.SaveFile(o.ctx, in.Path)
}

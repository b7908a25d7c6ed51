package server

import (
	"waferpair/workspace"
)

type pathArgs struct {
	Path string `json:"path"`
}

// openDocument shows a file to the page, from then on with its news. It goes on
// with a document that the page had open already from the newest version.
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

// reopenDocument goes on with a document where the connection was lost: false
// when that cannot be done. The next frame has news of it in any case. They
// hold the page's own update if its last push had arrived; if they do not, it
// had not.
func reopenDocument(c *call, o *opened, in reopenArgs) (bool, error) {
	pg := c.page
	if in.Page == pg.name {
		return false, nil // its connection is this one
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

// resume takes the version that a page says it has for what it is known to have.
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

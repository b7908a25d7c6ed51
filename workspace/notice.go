package workspace

import "fmt"

// NoticeKind is the kind of a Notice.
type NoticeKind int

// The kinds of notices.
const (
	// InPlace: the file could not be exchanged (hard links, a mount point, an owner that
	// cannot be copied, an unwritable directory) and was overwritten in place. A crash in
	// the middle tears it; Recover repairs that.
	InPlace NoticeKind = iota
	// Window: the filesystem has no atomic exchange. The file was checked and then renamed
	// over; a save of another program in between is lost.
	Window
	// OutsideVersion: our save displaced a version of another program, which is in Content.
	OutsideVersion
	// WriterOpen: another program has the displaced file open for writing. The file stays
	// under its temporary name until the program closes it.
	WriterOpen
	// NotPreserved: a displaced version could not be stored in history and stays on disk
	// under Temp.
	NotPreserved
	// Restored: a file to be deleted changed meanwhile and was put back.
	Restored
	// Unreadable: a directory or file could not be read and is skipped.
	Unreadable
	// Aside: a file that was not deleted after all could not be renamed back. It stays
	// under Temp.
	Aside
	// Unlocked: the filesystem cannot lock the folder, so a second program can open it by
	// another path.
	Unlocked
	// JournalFailed: the outcome of a save could not be recorded; the next
	// start checks the files again.
	JournalFailed
)

var noticeText = map[NoticeKind]string{
	InPlace:        "written in place",
	Window:         "written without an atomic exchange",
	OutsideVersion: "another program saved the file at the same moment; its version is kept",
	WriterOpen:     "another program keeps the replaced file open",
	NotPreserved:   "the other program's version could not be stored",
	Restored:       "the file changed while it was deleted and was put back",
	Unreadable:     "left out",
	Aside:          "it was not deleted, and something else has its name",
	Unlocked:       "the folder cannot be locked; do not open it by another path at the same time",
	JournalFailed:  "the outcome of the save could not be recorded",
}

// Notice reports something that the user should know although nothing failed.
type Notice struct {
	Kind    NoticeKind
	Path    string
	Temp    string // path of the file that still has the content, or ""
	Content []byte // the outside version, for OutsideVersion and NotPreserved
	Reason  error  // the cause, or nil
}

func (n Notice) String() string {
	s := fmt.Sprintf("%s: %s", n.Path, noticeText[n.Kind])
	if n.Temp != "" {
		s += " (kept as " + n.Temp + ")"
	}
	if n.Reason != nil {
		s += ": " + n.Reason.Error()
	}
	return s
}

func (f *Folder) notify(n Notice) {
	if f.opt.Notify != nil {
		f.opt.Notify(n)
	}
}

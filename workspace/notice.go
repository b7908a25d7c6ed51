package workspace

import "fmt"

// NoticeKind is what a Notice announces.
type NoticeKind int

// The kinds of notices.
const (
	// InPlace: the file could not be exchanged (hard links, a mount point, an
	// owner that cannot be kept, an unwritable directory) and was overwritten
	// in place. A crash in the middle tears it; Recover repairs that.
	InPlace NoticeKind = iota
	// Window: the filesystem has no atomic exchange. The file was checked and
	// then renamed over; a save of another program between the two is lost.
	Window
	// OutsideVersion: our save displaced content of another program. Content has it.
	OutsideVersion
	// WriterOpen: another program keeps the displaced file open for writing.
	// It is kept under its temporary name until the program closes it.
	WriterOpen
	// NotPreserved: displaced content could not be stored in history and stays
	// on disk under Temp.
	NotPreserved
	// Restored: a file that was to be deleted changed meanwhile and was put back.
	Restored
	// Unreadable: a directory or file could not be read and is left out.
	Unreadable
	// Aside: a file that was to be deleted, and was not, could not be given its
	// name again. It is kept under Temp.
	Aside
	// Unlocked: the filesystem cannot lock the folder, so a second program that
	// opens it by another path is not kept out.
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

// Notice announces something that the user should know although nothing failed.
type Notice struct {
	Kind    NoticeKind
	Path    string
	Temp    string // path of the file that still holds the content, or ""
	Content []byte // the outside version, for OutsideVersion and NotPreserved
	Reason  error  // why, or nil
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

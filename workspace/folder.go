package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// DefaultMaxEditable is the size above which files are shown but not edited.
const DefaultMaxEditable = 16 << 20

// Options configure a Folder.
type Options struct {
	// MaxEditable is the size in bytes of the largest file that is read into memory and
	// edited. 0 means DefaultMaxEditable.
	MaxEditable int64
	// Ignored reports whether Walk skips a path. It is called from several goroutines, for
	// a directory always before its entries. If it is nil, nothing is ignored.
	Ignored func(path string, isDir bool) bool
	// Journal makes save intents durable. If it is nil, they are kept in memory, which
	// protects nothing when the process dies.
	Journal Journal
	// Preserve stores a version of another program that a save displaced. When it returns
	// nil the content must be durable, and the last file with it may be removed. After an
	// error the file stays, under its temporary name, and so does the intent. It may be nil
	// if Saved.Displaced and the OutsideVersion notice are enough for the caller. It is
	// called from several goroutines, and must not call the Folder.
	Preserve func(Displaced) error
	// Notify is called for every degraded guarantee, from several goroutines. It must not
	// call the Folder.
	Notify func(Notice)
}

// Displaced is a version of a file that another program saved at the same time as we did.
type Displaced struct {
	Path    string
	Content []byte
	Hash    [32]byte
}

// Folder is an open project folder. Its methods are safe for concurrent use.
type Folder struct {
	root  string // absolute, links resolved
	given string // absolute, as the caller named it
	opt   Options
	sys   calls

	life   sync.RWMutex // locked for writing to close dir
	dir    *dir         // the root, held open; nil when closed
	locked bool         // Lock was called; guarded by life

	saving sync.Mutex // allows one batch at a time, so that saves cannot overtake each other

	pending  checks // displaced files that another program has open
	notified sync.Map
	links    linkStates
}

// Open opens a project folder. It refuses the root of the filesystem, the home folder and
// anything inside a .git directory; the error says what to do instead.
func Open(root string, opt Options) (*Folder, error) {
	given, real, err := realFolder(root)
	if err != nil {
		return nil, err
	}
	if err := refuseRoot(real); err != nil {
		return nil, err
	}
	d, err := openRootDir(real)
	if err != nil {
		return nil, &Error{"open", root, err, "the folder cannot be read; check its permissions"}
	}
	if opt.MaxEditable == 0 {
		opt.MaxEditable = DefaultMaxEditable
	}
	if opt.Journal == nil {
		opt.Journal = NewMemoryJournal()
	}
	surviveFileSizeLimit()
	f := &Folder{root: real, given: given, dir: d, opt: opt, sys: kernel}
	f.pending.init()
	return f, nil
}

// realFolder makes root absolute and resolves its links.
func realFolder(root string) (given, real string, err error) {
	if given, err = filepath.Abs(root); err != nil {
		return "", "", &Error{"open", root, err, ""}
	}
	if real, err = filepath.EvalSymlinks(given); errors.Is(err, fs.ErrNotExist) {
		return "", "", &Error{"open", root, fs.ErrNotExist, "check the spelling, or create the folder first"}
	} else if err != nil {
		return "", "", &Error{"open", root, err, "check the permissions of the folders above it"}
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", "", &Error{"open", root, err, "check its permissions"}
	}
	if !info.IsDir() {
		return "", "", &Error{"open", root, syscall.ENOTDIR, "name the folder that the file is in: " + filepath.Dir(given)}
	}
	return given, real, nil
}

// refuseRoot refuses a whole computer or everything that a user owns: watching and
// recording it would be slow, and would copy private files into the history.
func refuseRoot(real string) error {
	const next = "open the folder of one project instead"
	if real == "/" {
		return &Error{"open", real, errors.New("it is the root of the filesystem"), next}
	}
	if home, err := os.UserHomeDir(); err == nil && sameDir(home, real) {
		return &Error{"open", real, errors.New("it is your home folder, with everything you own"), next}
	}
	for c := range strings.SplitSeq(real, "/") {
		if c == ".git" {
			return &Error{"open", real, errors.New("it is inside a .git directory"),
				"open the project's folder, which holds .git"}
		}
	}
	return nil
}

func sameDir(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// surviveFileSizeLimit makes a write beyond RLIMIT_FSIZE return an error (EFBIG): Go's
// runtime ends the process on SIGXFSZ unless the program handles the signal. It calls
// Notify, not Ignore: commands that we run would inherit an ignored signal.
var surviveFileSizeLimit = sync.OnceFunc(func() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGXFSZ)
})

// Root returns the folder's absolute path with all links resolved.
func (f *Folder) Root() string { return f.root }

// Close waits for the checks of displaced files, at most two seconds each, and releases the
// folder. A file that another program still has open then stays under its temporary name,
// and the next Recover handles it.
func (f *Folder) Close() error {
	f.saving.Lock()
	defer f.saving.Unlock()
	f.life.Lock()
	root := f.dir
	f.dir = nil
	f.life.Unlock()
	if root == nil {
		return nil
	}
	f.pending.close()
	if err := root.close(); err != nil {
		return fmt.Errorf("close %s: %w", f.root, err)
	}
	return nil
}

// rootDir returns a new handle of the root, so that Close cannot close the directory while
// it is used.
func (f *Folder) rootDir() (*dir, error) {
	f.life.RLock()
	defer f.life.RUnlock()
	if f.dir == nil {
		return nil, errClosed
	}
	return f.dir.dup()
}

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"waferpair/app/userfile"
)

// File is config.toml in a folder. It remembers what it read as long as the file does not change.
type File struct {
	path string

	mu   sync.Mutex
	seen stamp
	last Config
}

// stamp tells whether a file has changed.
type stamp struct {
	there bool
	size  int64
	mtime time.Time
	info  fs.FileInfo
}

func (s stamp) same(o stamp) bool {
	return s.there == o.there && (!s.there || s.size == o.size && s.mtime.Equal(o.mtime) && os.SameFile(s.info, o.info))
}

// In returns the file in the user's configuration folder, which the XDG rules name.
func In(configHome string) *File {
	return &File{path: filepath.Join(configHome, "waferpair", "config.toml")}
}

// Path returns where the file is, or would be.
func (f *File) Path() string { return f.path }

// Read returns the content. A file that is not there is empty.
func (f *File) Read() Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := stamp{}
	st, err := os.Stat(f.path)
	if err == nil {
		now = stamp{true, st.Size(), st.ModTime(), st}
	}
	if f.last.Path != "" && now.same(f.seen) && time.Since(now.mtime) > time.Second { // two writes may have one time
		return f.last
	}
	f.seen, f.last = now, f.read()
	return f.last
}

func (f *File) read() Config {
	st, err := os.Stat(f.path)
	if err == nil && !st.Mode().IsRegular() { // reading it could wait forever
		err = errors.New("it is no file")
	}
	var body []byte
	if err == nil {
		body, err = os.ReadFile(f.path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Config{Path: f.path}
	case err != nil:
		return Config{Path: f.path, Problem: &Problem{File: f.path, What: "it cannot be read: " + err.Error(),
			Next: "make it a file that you can read; until then only the built-in models are there"}}
	}
	return Parse(f.path, body)
}

// Add adds the table of a provider at the end of the file.
func (f *File) Add(p Provider) error {
	err := userfile.Replace(f.path, func(old []byte) ([]byte, error) { return added(f.path, old, p) })
	return f.failed("add the provider", err)
}

// SetKeyring notes that the key of a provider is in the keyring.
func (f *File) SetKeyring(name string) error {
	err := userfile.Replace(f.path, func(old []byte) ([]byte, error) { return withKeyring(f.path, old, name) })
	return f.failed("note that the key of "+name+" is in the keyring", err)
}

// Remove removes the tables of a provider.
func (f *File) Remove(name string) error {
	err := userfile.Replace(f.path, func(old []byte) ([]byte, error) { return removed(f.path, old, name) })
	return f.failed("remove the provider", err)
}

// failed says what to do about a file that cannot be written.
func (f *File) failed(what string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &file), errors.As(err, &link):
		return fmt.Errorf("%s: %w; nothing was changed: see that there is space in %s and that you may write there",
			what, err, filepath.Dir(f.path))
	}
	return fmt.Errorf("%s: %w", what, err)
}

package spare

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waferpair/history"
)

// File is the content of a spare file, below a line with its SHA-256.
type File struct {
	Root    string // the project folder
	History string // the folder of its history
	At      time.Time
	Docs    []Doc
}

// Doc is a file with unrecorded text.
type Doc struct {
	Path   string
	Before history.Hash // the newest durable version; zero: none
	Head   history.Hash // the version that was being recorded then
	Mode   fs.FileMode
	Text   []byte
}

// Place names the possible folders of a project's spare file.
type Place struct {
	Root    string   // the project folder
	History string   // the folder of its history
	Homes   []string // the folders to try, the most durable first
}

// name is different for each history, even of the same project.
func (p Place) name() string {
	sum := sha256.Sum256([]byte(p.History))
	return filepath.Base(p.History) + "-" + hex.EncodeToString(sum[:6]) + ending
}

const ending = ".unrecorded"

// Write stores docs in the first folder that accepts them, and returns the file. It replaces what
// was stored before.
func (p Place) Write(docs []Doc) (at string, err error) {
	body, err := json.Marshal(File{p.Root, p.History, time.Now(), docs})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	data := slices.Concat([]byte(hex.EncodeToString(sum[:])+"\n"), body)
	var errs []error
	for _, home := range p.Homes {
		name := filepath.Join(home, p.name())
		if err := replace(name, data); err != nil {
			errs = append(errs, err)
			continue
		}
		p.remove(name)
		return name, nil
	}
	return "", errors.Join(errs...)
}

// Remove removes the files of Write.
func (p Place) Remove() { p.remove("") }

// remove removes all files but one.
func (p Place) remove(keep string) {
	for _, home := range p.Homes {
		if name := filepath.Join(home, p.name()); name != keep {
			_ = os.Remove(name) // a file that stays is found recorded later, and ignored
		}
	}
}

// Found lists the project's spare files, including those that other processes left.
func (p Place) Found() (names []string) {
	for _, home := range p.Homes {
		list, _ := filepath.Glob(filepath.Join(globQuoted(home), globQuoted(p.name())+"*"))
		names = append(names, list...)
	}
	return names
}

// globQuoted quotes a name for use in a pattern.
func globQuoted(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Read reads a spare file.
func Read(name string) (file File, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return file, err
	}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	sum := sha256.Sum256(body)
	if !ok || string(head) != hex.EncodeToString(sum[:]) {
		return file, errors.New("it is damaged")
	}
	return file, json.Unmarshal(body, &file)
}

// Leave renames a file that could not be recovered, so that a new one does not replace it; Found
// finds it under that name.
func Leave(name string) string {
	if !strings.HasSuffix(name, ending) {
		return name
	}
	to := fmt.Sprintf("%s-%x", name, time.Now().UnixNano())
	if os.Rename(name, to) != nil {
		return name
	}
	return to
}

// Beside writes the text of a document that conflicts with the history to a file of its own, in
// the folder of its spare file.
func Beside(name string, d Doc) (at string, err error) {
	sum := sha256.Sum256(d.Text)
	at = fmt.Sprintf("%s-%x-%s", filepath.Join(filepath.Dir(name), "kept"), sum[:4], filepath.Base(d.Path))
	return at, replace(at, d.Text)
}

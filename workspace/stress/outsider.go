//go:build unix

package stress

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// order makes the outside program save a file once.
type order struct {
	Path    string
	Content []byte
	How     string
	Aim     bool          // wait for the exchange, then for Delay
	Early   bool          // begin before the exchange, finish after it
	Delay   time.Duration // before it starts
	Pause   time.Duration // in the middle
}

// The ways in which programs save files. Each begins (writes a new file, opens the old one)
// and returns a function that finishes the save.
var ways = map[string]func(order) (finish func() error, err error){
	"rename":   byRename,
	"in-place": inPlace,
	"backup":   byBackup,
	"mmap":     byMmap,
}

// otherProgram carries out orders until its input ends. It answers each one twice: when it is
// ready, and when the save is complete.
func otherProgram(in io.Reader, out io.Writer) error {
	orders, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := o.carryOut(answers); err != nil {
			return err
		}
	}
}

func (o order) carryOut(answers *json.Encoder) (err error) {
	wait := func() {}
	if o.Aim {
		if wait, err = aim(filepath.Dir(o.Path)); err != nil {
			return err
		}
	}
	var finish func() error
	if o.Early {
		finish, err = ways[o.How](o)
	}
	if err := answers.Encode("ready"); err != nil {
		return err
	}
	wait()
	spin(o.Delay)
	if !o.Early {
		finish, err = ways[o.How](o)
	}
	if err == nil {
		err = finish()
	}
	if err != nil {
		return answers.Encode(err.Error())
	}
	return answers.Encode("")
}

// spin waits precisely: a sleep would round short delays up.
func spin(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// byRename writes a new file and renames it over the old one.
func byRename(o order) (func() error, error) {
	temp := filepath.Join(filepath.Dir(o.Path), ".outside.swp")
	err := os.WriteFile(temp, o.Content, 0o644)
	return func() error {
		spin(o.Pause)
		return os.Rename(temp, o.Path)
	}, err
}

// inPlace truncates the file and writes it in two halves.
func inPlace(o order) (func() error, error) {
	file, err := os.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE, 0o644)
	return func() error {
		return writeHalves(file, o)
	}, err
}

func writeHalves(file *os.File, o order) error {
	err := file.Truncate(0)
	half := len(o.Content) / 2
	if err == nil {
		_, err = file.Write(o.Content[:half])
	}
	spin(o.Pause)
	if err == nil {
		_, err = file.Write(o.Content[half:])
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	return err
}

// byBackup moves the old file away, writes a new one and removes the old.
func byBackup(o order) (func() error, error) {
	backup := o.Path + "~"
	return func() error {
		if err := os.Rename(o.Path, backup); err != nil {
			return err
		}
		file, err := os.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		if err := writeHalves(file, o); err != nil {
			return err
		}
		return os.Remove(backup)
	}, nil
}

// byMmap maps the file and copies the content in.
func byMmap(o order) (func() error, error) {
	file, err := os.OpenFile(o.Path, os.O_RDWR, 0)
	return func() error {
		defer file.Close()
		if err := file.Truncate(int64(len(o.Content))); err != nil {
			return err
		}
		m, err := unix.Mmap(int(file.Fd()), 0, len(o.Content), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		half := len(o.Content) / 2
		copy(m, o.Content[:half])
		spin(o.Pause)
		copy(m[half:], o.Content[half:])
		return unix.Munmap(m)
	}, err
}

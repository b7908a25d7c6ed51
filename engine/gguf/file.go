package gguf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// File is an open model file. The data of its tensors stay on disk.
type File struct {
	Path     string
	Version  uint32
	Metadata map[string]any // uint8 to float64, bool, string, Array
	Tensors  []Tensor       // in the order of the file

	index map[string]int // name -> index in Tensors
	data  int64          // offset of the tensors' data
	from  io.ReaderAt
	close func() error
}

// Tensor is the type, the shape and the place of a tensor.
type Tensor struct {
	Name   string
	Sizes  []int64 // fastest first: a matrix of rows of k numbers is k, rows
	Type   Type
	Offset int64 // from the beginning of the data
	Bytes  int64
}

// Numbers returns the number of elements.
func (t Tensor) Numbers() int64 {
	n := int64(1)
	for _, size := range t.Sizes {
		n *= size
	}
	return n
}

// Open reads a model file up to its tensors' data. The caller closes it.
func Open(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening a pipe would block
		return nil, fmt.Errorf("open model file %s: %w", path, errNoFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open model file: %w", err)
	}
	f, err := openFile(file)
	if err != nil {
		return nil, fmt.Errorf("open model file %s: %w", path, closing(file, err))
	}
	f.Path, f.close = path, file.Close
	return f, nil
}

func openFile(file *os.File) (*File, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	return Read(file, info.Size())
}

var errNoFile = errors.New("it is not a regular file; give the path of a .gguf file")

// closing closes a file after a failure and returns that failure.
func closing(c io.Closer, err error) error {
	_ = c.Close()
	return err
}

// Close closes the file.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Tensor returns the tensor with a name.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.index[name]
	if !ok {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// Raw returns a reader of a tensor's bytes in the file.
func (f *File) Raw(t Tensor) *io.SectionReader {
	return io.NewSectionReader(f.from, f.data+t.Offset, t.Bytes)
}

// Failed returns why something could not be done with a model file. Many errors name the file already; it is not
// named twice.
func Failed(what, path string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), path):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}

// named adds the path to an error.
func (f *File) named(err error) error {
	if f.Path == "" {
		return err
	}
	return fmt.Errorf("model file %s: %w", f.Path, err)
}

package version

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The frames have no checksums, because the hashes of the versions detect the same damage.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // only for options that do not exist
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<31))
	if err != nil {
		panic(err)
	}
	return d
})

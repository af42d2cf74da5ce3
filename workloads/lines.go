package workloads

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
)

// MaxLine is the longest line of a key file, in bytes without the line end.
const MaxLine = 64 << 10

// content is what readFile read.
type content struct {
	keys  *filters.Keys
	stats ListStats
	sum   string // SHA-256 of the whole file, in hexadecimal
}

// readFile reads the keys of a file or pipe, once; what can be known from its
// size is refused before it is read.
func readFile(path string) (c content, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return c, err
	}
	switch {
	case info.IsDir():
		return c, fmt.Errorf("%s: is a directory", path)
	case info.Mode()&os.ModeDevice != 0:
		return c, fmt.Errorf("%s: is a device; a file or a pipe is expected", path)
	}
	c.keys = &filters.Keys{}
	if info.Mode().IsRegular() && info.Size() > 0 {
		size := uint64(info.Size())
		if err := memory.Check(size); err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		c.keys.Grow(0, int(min(size, filters.MaxKeyBytes)))
	}
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(f, sum), lineBuffer)
	if err := skipMark(in); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.stats, err = readLines(c.keys, in, path)
	c.sum = hex.EncodeToString(sum.Sum(nil))
	return c, err
}

// packed are the first bytes of files that hold no lines, but lines compressed.
var packed = map[string]string{
	"gzip": "\x1f\x8b", "zip": "PK\x03\x04", "zstd": "\x28\xb5\x2f\xfd", "xz": "\xfd7zXZ\x00",
}

// skipMark passes over the byte order mark with which some editors begin UTF-8,
// and refuses what is compressed.
func skipMark(in *bufio.Reader) error {
	const mark = "\xef\xbb\xbf"
	head, _ := in.Peek(6) // an error comes again with the first line
	for format, magic := range packed {
		if bytes.HasPrefix(head, []byte(magic)) {
			return fmt.Errorf("is compressed (%s): unpack it first", format)
		}
	}
	if bytes.HasPrefix(head, []byte(mark)) {
		in.Discard(len(mark))
	}
	return nil
}

// lineBuffer holds the longest line with its end.
const lineBuffer = MaxLine + len("\r\n")

// readLines appends the lines of r to keys. Errors begin with the name, and with
// the number of the line where they are about one.
func readLines(keys *filters.Keys, r io.Reader, name string) (ListStats, error) {
	var stats ListStats
	in := bufio.NewReaderSize(r, lineBuffer) // r itself where readFile made it
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		stats.Lines++
		key := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		switch {
		case errors.Is(err, bufio.ErrBufferFull) || len(key) > MaxLine:
			return stats, fmt.Errorf("%s:%d: line is longer than %s", name, stats.Lines, machine.FormatBytes(MaxLine))
		case err != nil && err != io.EOF:
			return stats, fmt.Errorf("%s:%d: %w", name, stats.Lines, err)
		case uint64(keys.Bytes())+uint64(len(key)) > filters.MaxKeyBytes:
			return stats, fmt.Errorf("%s:%d: the keys are larger than 4 GiB; a file may hold that much", name, stats.Lines)
		case len(key) == 0:
			stats.Empty++
		default:
			keys.Append(key)
		}
	}
	if keys.Len() == 0 {
		return stats, fmt.Errorf("%s: has no keys; one a line is expected", name)
	}
	return stats, nil
}

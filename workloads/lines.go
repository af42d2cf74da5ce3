package workloads

import (
	"bufio"
	"bytes"
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

// readFile reads the keys of a file; what can be known from its size is refused
// before it is read.
func readFile(path string) (*filters.Keys, ListStats, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ListStats{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, ListStats{}, err
	}
	if info.IsDir() {
		return nil, ListStats{}, fmt.Errorf("%s: is a directory", path)
	}
	keys := &filters.Keys{}
	if info.Mode().IsRegular() && info.Size() > 0 {
		size := uint64(info.Size())
		if err := memory.Check(size); err != nil {
			return nil, ListStats{}, fmt.Errorf("%s: %w", path, err)
		}
		keys.Grow(0, int(min(size, filters.MaxKeyBytes)))
	}
	stats, err := readLines(keys, f, path)
	return keys, stats, err
}

// readLines appends the lines of r to keys. Errors begin with the name, and with
// the number of the line where they are about one.
func readLines(keys *filters.Keys, r io.Reader, name string) (ListStats, error) {
	var stats ListStats
	in := bufio.NewReaderSize(r, MaxLine+len("\r\n"))
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

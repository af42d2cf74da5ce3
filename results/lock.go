package results

import (
	"errors"
	"fmt"
	"io"
	"os"
)

var errLocked = errors.New("locked")

// Lock claims a folder that exists for one run, until the lock is closed or the
// program ends: two runs in one folder would mix up their records. The error
// says so if another run is at work there. Where the system or the file system
// has no such locks, it claims nothing.
func Lock(dir string) (io.Closer, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lockFolder(folder); err != nil {
		folder.Close()
		return nil, fmt.Errorf("another run is at work in %s", dir)
	}
	return folder, nil
}

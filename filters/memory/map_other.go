//go:build !linux

package memory

import (
	"errors"
	"fmt"
	"runtime"
)

// mapPages leaves large blocks to Go's heap.
func mapPages(_ int, policy Pages) (mem []byte, pages string, err error) {
	if policy == PagesHuge {
		return nil, "", fmt.Errorf("huge pages were asked for; they are not supported on %s", runtime.GOOS)
	}
	return nil, "", errors.ErrUnsupported
}

func unmapPages([]byte) {}

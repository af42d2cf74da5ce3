package counters

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Counter counts the thread that opened it, which must not change meanwhile.
type Counter struct{ l1, last int }

// event is one kind of thing to count.
type event struct {
	kind   uint32
	config uint64
}

var (
	l1Misses   = event{unix.PERF_TYPE_HW_CACHE, unix.PERF_COUNT_HW_CACHE_L1D | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16}
	lastMisses = event{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES}
)

// Open opens the counters of the calling thread; they stand still. The error
// wraps ErrNone where the kernel or the CPU has none for this process.
func Open() (*Counter, error) { return open(l1Misses, lastMisses) }

func open(l1, last event) (*Counter, error) {
	a, err := l1.open()
	if err != nil {
		return nil, err
	}
	b, err := last.open()
	if err != nil {
		unix.Close(a)
		return nil, err
	}
	return &Counter{a, b}, nil
}

func (e event) open() (fd int, err error) {
	attr := unix.PerfEventAttr{
		Type: e.kind, Config: e.config,
		Bits:        unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
	}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	for _, none := range []error{unix.ENOENT, unix.EOPNOTSUPP, unix.EACCES, unix.EPERM, unix.ENOSYS, unix.ENODEV} {
		if errors.Is(err, none) {
			return 0, &unavailable{err.Error()}
		}
	}
	if err != nil {
		return 0, fmt.Errorf("counters: perf_event_open: %w", err)
	}
	return fd, nil
}

// Count counts while do runs.
func (c *Counter) Count(do func()) (Counts, error) {
	if err := c.ioctl(unix.PERF_EVENT_IOC_RESET, unix.PERF_EVENT_IOC_ENABLE); err != nil {
		return Counts{}, err
	}
	do()
	if err := c.ioctl(unix.PERF_EVENT_IOC_DISABLE); err != nil {
		return Counts{}, err
	}
	l1, err := read(c.l1)
	if err != nil {
		return Counts{}, err
	}
	last, err := read(c.last)
	return Counts{l1, last}, err
}

func (c *Counter) ioctl(requests ...uint) error {
	for _, r := range requests {
		for _, fd := range []int{c.l1, c.last} {
			if err := unix.IoctlSetInt(fd, r, 0); err != nil {
				return fmt.Errorf("counters: %w", err)
			}
		}
	}
	return nil
}

// read returns a count. One that shared its register with others, and so was
// not counting all the time, is an error: it would have to be guessed.
func read(fd int) (uint64, error) {
	var buf [24]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return 0, fmt.Errorf("counters: %w", err)
	}
	if n != len(buf) {
		return 0, fmt.Errorf("counters: the kernel gave %d bytes and not %d", n, len(buf))
	}
	value, enabled, running := binary.NativeEndian.Uint64(buf[:]), binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])
	if running < enabled {
		return 0, fmt.Errorf("counters: counted for %d of %d ns only", running, enabled)
	}
	return value, nil
}

// Close gives the counters back.
func (c *Counter) Close() {
	unix.Close(c.l1)
	unix.Close(c.last)
}

# Two commands do everything on a fresh machine with Go and make:
#   make report   measure this machine (2 minutes) and draw the report
#   make test     everything that guards the code

GO ?= go
# Without C: the same programs, and half the time of a first build. The race
# detector alone needs it.
export CGO_ENABLED = 0
# Stamp the commit into the binary where git can tell it.
VCS := $(shell git status >/dev/null 2>&1 && echo auto || echo false)
CC := $(shell $(GO) env CC)
HAVE_CC := $(shell command -v $(CC) >/dev/null 2>&1 && echo yes)

.PHONY: report bench test test-arch trust ci build check race clean

report: build
	bin/runbench run
	bin/runbench report

# How near batches come to what the memory allows, and to their targets: 4
# minutes.
bench: build
	bin/runbench run kernels --profile full --out results/bench
	bin/runbench bench results/bench

build:
	$(GO) build -buildvcs=$(VCS) -o bin/runbench ./cmd/runbench

test: check
	$(GO) test ./...
	FILTERBENCH_SIMD=off $(GO) test -short ./filters/...
	FILTERBENCH_SIMD=off $(GO) test -short -run 'FPR|Gate|Count' ./experiments
	$(GO) test -short -tags purego $$($(GO) list ./filters/... | grep -v /registry)
	@$(MAKE) --no-print-directory race

# Formatting and static analysis.
check:
	@bad=$$(gofmt -l cmd deploy experiments filters report results workloads); \
	  if [ -n "$$bad" ]; then echo "not gofmt-ed:"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The race detector needs cgo, and so a C compiler. It watches what runs
# concurrently: every filter's readers (in the registry's conformance suite),
# memory, workloads, the experiments' workers, the journal.
race:
ifeq ($(HAVE_CC),yes)
	CGO_ENABLED=1 $(GO) test -race -short -run '(Conformance|Shards)/.*/(concurrent_readers|shards)' ./filters/registry
	CGO_ENABLED=1 $(GO) test -race -short ./filters/memory ./workloads ./experiments/timing ./experiments/engine ./results/...
	CGO_ENABLED=1 $(GO) test -race -short -run 'Run|Workers|Threads|CrawlStream$$' ./experiments
else
	@echo "no C compiler ($(CC)): the race detector is left out"
endif

# The same bits on other CPUs: golden keys, states, images, hashes and sizes
# under qemu's user mode, on a little-endian and a big-endian machine; and the
# program itself on an x86-64 CPU without AVX2.
ARCHES := arm64:aarch64 s390x:s390x
GOLDEN := Golden|Vectors|Digest|Platform|Portable|SameBytes|Bitmap|Counted|Images|Layout

test-arch:
	@for pair in $(ARCHES); do \
	  arch=$${pair%%:*}; cpu=$${pair##*:}; \
	  qemu=$$(command -v qemu-$$cpu-static || command -v qemu-$$cpu) || \
	    { echo "$$arch: no qemu-$$cpu (Debian: qemu-user-static); left out"; continue; }; \
	  echo "$$arch under $$qemu"; \
	  GOARCH=$$arch $(GO) test -short -exec "$$qemu" -run '$(GOLDEN)' \
	    ./filters/... ./workloads/... ./results/... ./experiments || exit 1; \
	done
	$(GO) test -v -run WithoutAVX2 ./cmd/runbench

# Two runs of the lookups, and how far they order the filters alike.
trust: build
	bin/runbench run lookup --out results/trust/a
	bin/runbench run lookup --out results/trust/b
	bin/runbench trust results/trust/a results/trust/b

# What a runner does: the quick profile, its report, and what is to be said of both
# beside the committed references.
ci: build
	bin/runbench run
	bin/runbench report
	bin/runbench ci --json results/local/ci.json

clean:
	rm -rf bin results/local results/bench results/trust

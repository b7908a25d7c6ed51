# Waferpair. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# build/setup puts a Go and a Node into .cache when the computer's own are too old.
CACHED_GO   := $(if $(wildcard .cache/go/bin/go),$(CURDIR)/.cache/go/bin:)
CACHED_NODE := $(if $(wildcard .cache/node/node_modules/.bin/node),$(CURDIR)/.cache/node/node_modules/.bin:)
export PATH := $(CACHED_GO)$(CACHED_NODE)$(PATH):/usr/local/go/bin
export CGO_ENABLED := 1
# Without -g: nobody debugs SQLite and the grammars, and gcc takes a fifth less time.
export CGO_CFLAGS ?= -O2

VERSION     = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# bin/waferpair compares this stamp with that of the window's program (app/window/program.go).
STAMP       = $(firstword $(shell printf %s '$(VERSION)' | sha256sum))
LDFLAGS     = -s -w -X waferpair/app/cli.Version=$(VERSION) -B 0x$(STAMP)
# The window needs the headers of GTK and WebKit; without them only bin/waferpair is built.
WINDOW_TAGS = desktop,production,webkit2_41
TAGS        = $(shell pkg-config --exists gtk+-3.0 webkit2gtk-4.1 2>/dev/null && echo $(WINDOW_TAGS))
NFPM        := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.0
CODEMIRROR  := workspace/text/testdata/cm
LLAMA       := engine/gguf/testdata/oracle
LLAMA_BINS  := $(CURDIR)/.cache/oracle/linux-x64/bins/linux-x64
PAGE         = frontend/dist/index.html
PAGE_SOURCES = $(shell find frontend/src frontend/public frontend/index.html frontend/*.ts frontend/package-lock.json -type f)
GOFILES      = $$(find . \( -name testdata -o -name node_modules -o -name .cache -o -name .git \) -prune -o -name '*.go' -print)

.PHONY: help run demo test build generate bench faults spark hears torch agree wrap layers oracle sanitize test-peers package screenshots clean setup setup-test check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, then open the window on a small project (without a display: serve it for a browser)
	@build/run

demo: build ## build, then show the main job on the command line
	@build/demo

build: setup ## build bin/waferpair, and bin/waferpair-window, which it becomes to open the window
	@$(MAKE) --no-print-directory bin/waferpair-window

generate: export GOFLAGS += -trimpath
generate: setup ## frontend/src/protocol.ts, the page's types, from the Go types of app/server
	go generate ./app/server

test: setup-test ## format, lint, all tests with the race detector, the page's checks and tests, the window
	@$(MAKE) --no-print-directory check

bench: setup-test bin/waferpair bin/waferbench .cache/e2e/waferpair .cache/oracle/llama-bench ## the measurements that the README quotes (ARGS="growth": one of them)
	bin/waferbench $(or $(ARGS),all)

faults: setup bin/waferpair bin/waferbench ## 300 faults alone, and 300 through the process that owns the project: full disks, pulled disks, kills, power cuts; nothing may be lost (ARGS="--help" for more)
	bin/waferbench faults $(ARGS)

spark: setup torch .cache/java ## trains the built-in model's weights of its seeds, and prints how well it understands the evaluation sets (an hour on one core)
	go run ./build/train -export .cache/spark
	$(if $(shell grep -m1 avx512bw /proc/cpuinfo),OPENBLAS_CORETYPE=SkylakeX) /usr/bin/python3 build/train/decoder.py .cache/spark
	go run ./build/train -pack .cache/spark -o engine/spark/decoder.gguf
	go run ./build/train -o engine/spark/weights.bin -decoder engine/spark/decoder.gguf -dev $(DEVSETS)

hears: setup ## prints how well the built-in model understands the evaluation sets (ARGS=-v for what it does not)
	go run ./build/train -weights engine/spark/weights.bin -decoder engine/spark/decoder.gguf -dev $(DEVSETS) $(ARGS)

DEVSETS = $(shell echo build/train/testdata/dev/* | tr ' ' ,)

.cache/java: # packages of the JDK, for their symbols
	@test -f /usr/lib/jvm/openjdk-17/lib/src.zip || (apt-get update -q && \
		apt-get install -qy --no-install-recommends openjdk-17-source unzip)
	unzip -q -o /usr/lib/jvm/openjdk-17/lib/src.zip 'java.base/java/*' 'java.logging/*' 'java.net.http/*' -d $@

torch: # Debian's own torch, which trains the decoder
	@/usr/bin/python3 -c 'import torch' 2>/dev/null || (apt-get update -q && \
		apt-get install -qy --no-install-recommends python3-torch libopenblas0-pthread)

agree: setup ## 300 random shapes on emulated cores, cycles within 5 % of their estimates (AGREE=N for as many)
	AGREE=$(or $(AGREE),300) go test -count=1 -timeout 3h -v -run TestTheLevelsAgree ./wafer

wrap: ## break the lines of Go that are longer than 120 columns
	go build -C build/lint -o '$(CURDIR)/.cache/bin/wrap' ./wrap && .cache/bin/wrap $(GOFILES)

layers: setup bin/layers ## how the files of a package rest on each other, and what climbs (ARGS="--help" for more)
	@bin/layers $(ARGS)

oracle: .cache/oracle/ask ## ask llama.cpp again for what the tests of model files, their runtime, tokens and prompts compare with (46 MB from npm)
	BINS=$(LLAMA_BINS) ORACLE=$(CURDIR)/.cache/oracle/ask go test -count=1 -timeout 20m -run 'TestOracle|Repeater' ./engine/gguf ./engine/infer ./engine/token ./engine/chat

sanitize: ## the kernels of engine/infer, with the address and the undefined-behaviour sanitizer
	CGO_CFLAGS='-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined' CGO_LDFLAGS=-fsanitize=undefined \
		go test -asan -count=1 -short ./engine/infer/...

test-peers: .cache/oracle/ask ## the client of models against llama.cpp's own server, with random weights (46 MB from npm; builds for minutes, once)
	nice $(MAKE) --no-print-directory -f build/peers/Makefile
	PEERS=$(CURDIR)/.cache/peers SOURCES=$(CURDIR)/.cache/oracle/llama.cpp go test -count=1 -timeout 10m -run TestPeers ./engine/responses/chat

package: build ## dist/: a .deb and a .tar.gz
	@GOBIN='$(CURDIR)/.cache/bin' go install $(NFPM)
	@build/package '$(VERSION)' '$(TAGS)'

screenshots: setup-test bin/waferpair .cache/e2e/waferpair ## the pictures of the README, from the real window
	node frontend/e2e/screenshots.mjs
	bin/waferpair wafer floorplan --model gpt-oss-120b --svg docs/pictures/floorplan.svg

clean: ## remove what was built and fetched
	rm -rf bin dist .cache $(CODEMIRROR)/node_modules frontend/node_modules
	find frontend/dist -mindepth 1 ! -name .gitkeep -delete

setup:
	@build/setup run

setup-test:
	@build/setup test

# --- build -----------------------------------------------------------

# Always run go build, which knows what is up to date.
.PHONY: bin/waferpair bin/waferpair-window bin/waferbench bin/layers .cache/e2e/waferpair
# Without the window's libraries, which take 50 ms to load.
bin/waferpair: $(PAGE)
	@mkdir -p $(@D)
	go build -trimpath -ldflags '$(LDFLAGS)' -o $@ .

# bin/waferpair and the window. Built after it: bin/waferpair warns about a window that is older than itself.
bin/waferpair-window: bin/waferpair
ifeq ($(TAGS),)
	@echo "building without the window: GTK and WebKit are not there"; rm -f $@
else
	go build -tags '$(TAGS)' -trimpath -ldflags '$(LDFLAGS)' -o $@ .
endif

# Benchmarks and fault injection; not part of the product.
bin/waferbench: $(PAGE)
	@mkdir -p $(@D)
	go build -trimpath -o $@ ./app/bench/waferbench

# A tool that shows the structure of the code; not part of the product.
bin/layers:
	@mkdir -p $(@D)
	go build -trimpath -o $@ ./build/layers

# In this build, a WebDriver can control the window.
.cache/e2e/waferpair: $(PAGE)
	@mkdir -p $(@D)
	go build -tags '$(WINDOW_TAGS),e2e' -trimpath -ldflags '$(LDFLAGS)' -o $@ .

$(PAGE): frontend/node_modules/.package-lock.json $(PAGE_SOURCES)
	npm run --prefix frontend --silent build -- --logLevel error
	@touch $@

frontend/node_modules/.package-lock.json: frontend/package-lock.json frontend/package.json
	npm ci --prefix frontend --no-audit --no-fund --loglevel=error
	@touch $@

$(CODEMIRROR)/node_modules: $(CODEMIRROR)/package-lock.json
	npm ci --prefix $(CODEMIRROR) --no-audit --no-fund --loglevel=error
	@touch $@

# llama.cpp from npm: its libraries, and in a bundle the sources of the same release.
.cache/oracle/ask: $(LLAMA)/oracle.c $(LLAMA)/packages.sha256
	rm -rf .cache/oracle && mkdir -p .cache/oracle/sources .cache/oracle/linux-x64
	cd .cache/oracle && npm pack --silent node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 && sha256sum -c '$(CURDIR)/$(LLAMA)/packages.sha256'
	tar -xzf .cache/oracle/node-llama-cpp-3.22.1.tgz --strip-components=1 -C .cache/oracle/sources package/llama/gitRelease.bundle
	tar -xzf .cache/oracle/node-llama-cpp-linux-x64-3.22.1.tgz --strip-components=1 -C .cache/oracle/linux-x64
	git clone -q .cache/oracle/sources/llama/gitRelease.bundle .cache/oracle/llama.cpp
	cc -O2 -Wall $< -I.cache/oracle/llama.cpp/include -I.cache/oracle/llama.cpp/ggml/include -L$(LLAMA_BINS) \
		-l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so -Wl,-rpath,$(LLAMA_BINS) -o $@

# llama.cpp's own benchmark; it looks for its libraries of processors beside itself.
.cache/oracle/llama-bench: .cache/oracle/ask
	cd .cache/oracle && g++ -O1 -std=c++17 llama.cpp/tools/llama-bench/main.cpp llama.cpp/tools/llama-bench/llama-bench.cpp \
		-Illama.cpp/include -Illama.cpp/ggml/include -Illama.cpp/common -Illama.cpp/vendor -L$(LLAMA_BINS) \
		-l:libllama-common.so -l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so -Wl,-rpath,$(LLAMA_BINS) -o llama-bench
	ln -sf $(LLAMA_BINS)/libggml-cpu-*.so .cache/oracle/

# --- checks ---------------------------------------------------------

# The order: quick checks that fail often come first. Those of the page compute in one
# process at a time, so they run beside lint; nothing runs beside the tests of check-go, some of
# which measure, nor beside flows: what computes took six times as long there, and they twice.
.PHONY: check-format check-page check-lint check-go check-window check-computing e2e
check:
	@$(MAKE) --no-print-directory check-format
	@$(MAKE) --no-print-directory $(PAGE) $(CODEMIRROR)/node_modules
	@$(MAKE) --no-print-directory -j2 --output-sync=target check-page check-lint
	@$(MAKE) --no-print-directory check-go
	@$(MAKE) --no-print-directory check-computing
	@$(MAKE) --no-print-directory check-window
	@$(MAKE) --no-print-directory e2e

check-format:
	@echo "gofmt";  bad=$$(gofmt -l $(GOFILES)); if [ -n "$$bad" ]; then echo "not formatted; run gofmt -w on:"; echo "$$bad"; exit 1; fi

check-page: frontend/node_modules/.package-lock.json
	cd frontend && npm run --silent check
	cd frontend && npm run --silent lint
	cd frontend && node_modules/.bin/tsc -p e2e
	cd frontend && npm run --silent test

# lint (the checks of go vet, staticcheck and more) uses the same race-detector build as the
# tests, so that SQLite and the tree-sitter grammars are compiled once and not twice. In that
# build SQLite is optimized less: gcc takes half the time, and the detector slows down Go, not
# C. Lint itself is built with -trimpath, like the programs and in check-window, so that it and
# the standard library are compiled for it once and not twice; its own tests run without go
# vet, which would check all that it imports.
# A process under the detector sleeps for a second before it ends, unless told otherwise. The
# parser of regular expressions is compiled without the detector: it shares nothing between
# goroutines, and at the start of each of the thousand processes that tests run it would take a
# quarter of their processor time. A package that uses sync.Map, such as encoding/xml, must not
# be: the linker may take its copy of that code for all, and then correct locks look like races.
check-lint check-go: RACE = CGO_CFLAGS=-O1 GORACE=atexit_sleep_ms=20
check-lint check-go: UNWATCHED = -gcflags=regexp/syntax=-race=false
check-lint: $(PAGE)
	@echo "lint"; go build -C build/lint -trimpath -o '$(CURDIR)/.cache/bin/lint' . && go test -C build/lint -trimpath -vet=off ./...
	@$(RACE) GOFLAGS="$$(go env GOFLAGS) -race $(UNWATCHED)" .cache/bin/lint ./...
	@echo "layers"; $(RACE) GOFLAGS="$$(go env GOFLAGS) -race $(UNWATCHED)" go run ./build/layers --max 14 ./app >/dev/null

# Tests that run processes wait a third of their time for disks and events, so three packages
# run at once, whatever the number of processors; the longest one begins first. With -short,
# tests that compute a lot in one goroutine are skipped, or smaller. They, and no others, run
# later without the detector, which would make them ten times as slow and has nothing to find
# there; build/computing finds them. That run is built like the program (-trimpath), so that
# nothing is compiled a third time. Those of app, which measure time and memory, run one after
# the other; the rest is check-computing. The stories of the command line run in both: attached under the detector, alone
# without it. Go commands that a test or the tested program starts build with -trimpath, too.
COMPUTING = build/computing $$(find $(1) \( -name testdata -o -name lint \) -prune -o -name '*_test.go' -print | sort)
# Tests with random cases use a fixed seed, so that whether a commit passes depends on the
# commit. By hand (go test ./wafer), every run draws others.
check-go check-computing: export WAFERPAIR_SEED ?= 1
check-go check-computing: export GOFLAGS += -trimpath
check-go: $(CODEMIRROR)/node_modules $(PAGE)
	$(RACE) go test -race $(UNWATCHED) -trimpath=false -short -vet=off -timeout 18m -p 3 ./app/cli ./...
	tests=$$($(call COMPUTING,app)); go test -vet=off -p 1 $$tests

check-computing: $(CODEMIRROR)/node_modules
	tests=$$($(call COMPUTING,*_test.go build engine history wafer workspace)); GOROOT="$$(go env GOROOT)" go test -vet=off $$tests

# The code behind the tags desktop and e2e; the rest has been checked. With -trimpath,
# because the programs were compiled with it. bin/waferpair must not load the window's
# libraries: every command would start 50 ms later.
check-window: export GOFLAGS += -trimpath
check-window: bin/waferpair .cache/e2e/waferpair
	@if ldd bin/waferpair | grep -E 'gtk|webkit'; then echo "bin/waferpair is linked with the window's libraries"; exit 1; fi
	@echo "lint, window"; go build -C build/lint -o '$(CURDIR)/.cache/bin/lint' .
	@.cache/bin/lint -tags '$(WINDOW_TAGS)' ./app/window
	@.cache/bin/lint -tags '$(WINDOW_TAGS),e2e' ./app/window
	go test -tags '$(WINDOW_TAGS)' -vet=off ./app/window

# The page in Chromium and the real window, with the real program. A flow that fails once, on
# however busy a computer, is a bug to find. The benchmarks of the window run beside the flows,
# in small: that they work is tested, and their figures mean nothing. Each flow has an empty
# home; with the build cache and the flags of the programs, not each of them has Go compile the
# standard library in the background.
.PHONY: e2e-flows e2e-bench
e2e: export GOFLAGS += -trimpath
e2e: bin/waferpair bin/waferbench .cache/e2e/waferpair ## tests of the page in a browser and of the real window
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j2 --output-sync=target) e2e-flows e2e-bench

e2e-flows:
	@GOCACHE="$$(go env GOCACHE)" build/flows

e2e-bench:
	bin/waferbench ui --quick

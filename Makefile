# Waferpair. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# build/setup puts a Go into .cache/go when the computer's own is too old.
export PATH := $(if $(wildcard .cache/go/bin/go),$(CURDIR)/.cache/go/bin:)$(PATH):/usr/local/go/bin
export CGO_ENABLED := 1

VERSION     = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     = -s -w -X waferpair/app/cli.Version=$(VERSION)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
CODEMIRROR  := workspace/text/testdata/cm
GOFILES      = $$(find . \( -name testdata -o -name node_modules -o -name .cache -o -name .git \) -prune -o -name '*.go' -print)

.PHONY: help run test build bench clean setup setup-test check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, then show the main job on a small project
	@build/demo

build: setup ## build bin/waferpair
	@$(MAKE) --no-print-directory bin/waferpair

test: setup-test ## format, vet, staticcheck, and all tests with the race detector
	@$(MAKE) --no-print-directory check

bench: build ## the measurements that the README quotes
	bin/waferpair bench

clean: ## remove what was built and fetched
	rm -rf bin .cache $(CODEMIRROR)/node_modules

setup:
	@build/setup run

setup-test:
	@build/setup test

# bin/waferpair is always offered to go build, which knows best what is up to date.
.PHONY: bin/waferpair
bin/waferpair:
	@mkdir -p bin
	go build -trimpath -ldflags '$(LDFLAGS)' -o $@ .

# vet and staticcheck look at the same race-detector build that the tests use,
# so that SQLite and the tree-sitter grammars are compiled once and not twice.
check: $(CODEMIRROR)/node_modules
	@echo "gofmt";  bad=$$(gofmt -l $(GOFILES)); if [ -n "$$bad" ]; then echo "not formatted; run gofmt -w on:"; echo "$$bad"; exit 1; fi
	go vet -race ./...
	@echo "staticcheck"; GOBIN='$(CURDIR)/.cache/bin' go install $(STATICCHECK)
	@GOFLAGS="$$(go env GOFLAGS) -race" .cache/bin/staticcheck ./...
	go test -race -vet=off -timeout 18m ./...

$(CODEMIRROR)/node_modules: $(CODEMIRROR)/package-lock.json
	npm ci --prefix $(CODEMIRROR) --no-audit --no-fund --loglevel=error
	@touch $@

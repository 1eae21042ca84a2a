# Everything a developer does, in a word. `make help` lists the words.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build servers test test-unit test-stack test-smoke bench bench-start soak fuzz lint fmt tools

# Tools are installed once for this user, at these versions.
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/redline
TOOLS    := $(CACHE)/tools
GOTESTSUM       := $(TOOLS)/gotestsum-v1.13.0/gotestsum
GOLANGCI        := $(TOOLS)/golangci-lint-v2.15.0/golangci-lint
WORKFLOWCHECK   := $(TOOLS)/workflowcheck-v0.6.0/workflowcheck
GOVULNCHECK     := $(TOOLS)/govulncheck-v1.8.0/govulncheck
GOFUMPT         := $(TOOLS)/gofumpt-v0.12.0/gofumpt

# For every build, test and linter; the Dockerfile has the same. Gin's msgpack, which
# nothing here speaks, takes longer to compile than any other package.
TAGS := -tags=nomsgpack
export GOFLAGS := $(TAGS) $(filter-out $(TAGS),$(GOFLAGS))
# Debug information is left out: a quarter less to build.
COMPILE := -trimpath -gcflags=all=-dwarf=false
BUILD := go build $(COMPILE) -ldflags '-s -w'

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: build ## start the whole service on this machine, Ctrl-C stops it
	@exec bin/redline-dev $(ARGS)

build: ## build bin/redline and bin/redline-dev, which runs it with its servers
	@.ci/prerequisites
	@mkdir -p bin
	$(BUILD) -o bin/ ./cmd/redline ./cmd/redline-dev

servers: build ## fetch and build Postgres, Temporal and Weaviate, once for this user
	@bin/redline-dev --fetch

test: servers ## all tests: units, workflows, stores, handlers, and the black box against the real stack
	@.ci/all-suites "make test" $(MAKE) --no-print-directory test-unit test-stack test-smoke

test-unit: $(GOTESTSUM) ## units, workflows, stores and handlers, with the race detector
	@.ci/suite units $(GOTESTSUM) "$$(go list ./... | grep -vE '/tests(/|$$)')" -race -timeout 15m

test-stack: servers $(GOTESTSUM) ## the black box: the published interface, against the plain program
	@REDLINE_TEST_BINARY=$(CURDIR)/bin/redline .ci/suite stack $(GOTESTSUM) ./tests/... -timeout 30m

test-smoke: servers $(GOTESTSUM) ## one test of the black box against a program with the race detector, built from the packages that the units left behind
	@mkdir -p bin/race
	@go build -race -ldflags '-s -w' -o bin/race/ ./cmd/redline
	@cp -f bin/redline-dev bin/race/
	@REDLINE_TEST_BINARY=$(CURDIR)/bin/race/redline .ci/suite smoke $(GOTESTSUM) ./tests -timeout 10m -run '^TestSmoke'

soak: servers ## hundreds of random kills; prints its counts
	@REDLINE_TEST_BINARY=$(CURDIR)/bin/redline REDLINE_SOAK=$(or $(KILLS),300) go test -count=1 -v -timeout 4h -run '^TestSoak' ./tests

fuzz: ## look for predicates, definitions, cron lines and inbound bodies that break what holds; FUZZ=10m each
	@.ci/fuzz $(or $(FUZZ),1m)

bench: servers ## measure, side by side with the bare parts; table and JSON in bench/results
	@REDLINE_BENCH_BINARY=$(CURDIR)/bin/redline go run ./bench $(ARGS)

bench-start: ## measure the first and the second start against the bare installs, from empty caches
	@bench/first-start.sh

# Compiled as the program is, so that what was built for it is not built again.
lint: export GOFLAGS := $(GOFLAGS) $(COMPILE)
lint: $(GOLANGCI) $(WORKFLOWCHECK) $(GOVULNCHECK) ## vet, linters, determinism of workflows, repeated lines, known vulnerabilities
	go vet ./...
	$(GOLANGCI) run ./...
	$(WORKFLOWCHECK) ./workflows/...
	.ci/duplicates
	@.ci/vulnerabilities $(GOVULNCHECK)

fmt: $(GOFUMPT) ## format the code
	$(GOFUMPT) -w $$(git ls-files '*.go')

tools: $(GOTESTSUM) $(GOLANGCI) $(WORKFLOWCHECK) $(GOVULNCHECK) $(GOFUMPT) ## install all tools

# $(call install,<target>,<module path of the program>): built under another
# name and renamed, so an interrupted install is not taken for a whole one.
define install
	@echo "Installing $(notdir $(1)) $(lastword $(subst -v, v,$(notdir $(patsubst %/,%,$(dir $(1))))))"
	@mkdir -p $(dir $(1))
	@GOFLAGS= GOBIN=$(dir $(1))partial go install $(2)
	@mv $(dir $(1))partial/$(notdir $(1)) $(1) && rmdir $(dir $(1))partial
endef

$(GOTESTSUM):
	$(call install,$@,gotest.tools/gotestsum@v1.13.0)
$(GOLANGCI):
	$(call install,$@,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0)
$(WORKFLOWCHECK):
	$(call install,$@,go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0)
$(GOVULNCHECK):
	$(call install,$@,golang.org/x/vuln/cmd/govulncheck@v1.8.0)
$(GOFUMPT):
	$(call install,$@,mvdan.cc/gofumpt@v0.12.0)

# Everything a developer does, in a word. `make help` lists the words.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build servers test test-unit test-stack test-long bench bench-start soak fuzz lint lines fmt tools clients test-clients test-console screenshots

# Tools are installed once for this user, at these versions.
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/redline
$(if $(word 2,$(CACHE)),$(error make takes no folder with a blank in its name for its tools: set XDG_CACHE_HOME to one without))
TOOLS    := $(CACHE)/tools
GOTESTSUM       := $(TOOLS)/gotestsum-v1.13.0/gotestsum
GOLANGCI        := $(TOOLS)/golangci-lint-v2.15.0/golangci-lint
WORKFLOWCHECK   := $(TOOLS)/workflowcheck-v0.6.0/workflowcheck
GOVULNCHECK     := $(TOOLS)/govulncheck-v1.8.0/govulncheck
GOFUMPT         := $(TOOLS)/gofumpt-v0.12.0/gofumpt
OASDIFF         := $(TOOLS)/oasdiff-v1.37.0/oasdiff
OAPI_CODEGEN    := $(TOOLS)/oapi-codegen-v2.8.2/oapi-codegen

# Programs, tests and linters are compiled alike, so that what was built for one is not
# built again for another; the Dockerfile has the same tags. Gin's msgpack, which nothing
# here speaks, takes longer to compile than any other package, and debug information is
# a quarter of the rest.
TAGS := -tags=nomsgpack
ALIKE := $(TAGS) -trimpath -gcflags=all=-dwarf=false
export GOFLAGS := $(ALIKE) $(filter-out $(ALIKE),$(GOFLAGS))
# A workspace that the clone happens to lie in is none of its own.
export GOWORK := off
BUILD := go build -ldflags '-s -w'

help: ## list what can be made, with what it takes on two cores
	@sed -nE 's/^([a-z-]+):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: build ## start the whole service on this machine, Ctrl-C stops it (8 to 15 minutes the first time, then seconds)
	@exec bin/redline-dev $(ARGS)

build: ## build bin/redline and bin/redline-dev, which runs it with its servers (2 minutes the first time, then seconds)
	@.ci/prerequisites
	@mkdir -p bin
	$(BUILD) -o bin/ ./cmd/redline ./cmd/redline-dev

servers: build ## fetch and build Postgres, Temporal and Weaviate, once for this user (6 to 8 minutes the first time, then seconds)
	@bin/redline-dev --fetch

# Of the server's major version; somebody may have them, where REDLINE_POSTGRES_TOOLS says.
POSTGRES_TOOLS := $(CACHE)/postgres-tools-16.2

.PHONY: postgres-tools
postgres-tools: ## fetch pg_dump and pg_restore for tests of backups; needs Python the first time (seconds)
	@[ -x "$${REDLINE_POSTGRES_TOOLS:-$(POSTGRES_TOOLS)/pgserver/pginstall/bin}/pg_dump" ] || .ci/postgres-tools $(POSTGRES_TOOLS)

test: ## all tests but the long ones: units, workflows, stores, handlers, and the published interface on the real stack (15 minutes with everything built, 28 on a machine with nothing on it)
	@.ci/all-suites "make test" $(MAKE) --no-print-directory servers test-unit test-stack

# A test whose name begins with TestLong_ or TestSoak_ belongs to test-long, TestAttack_ to attack.
SHORT := -skip '^Test(Long|Soak|Attack)_'
LONG  := -run '^Test(Long|Soak)_'
SUITE := .ci/suite
STACK := REDLINE_TEST_BINARY="$(CURDIR)/bin/redline" .ci/on-stack bin/redline-dev .ci/suite

# Stores, handlers and loops wait for Postgres and for time, so more of them go on at once than
# there are processors.
test-unit: $(GOTESTSUM) ## units, workflows, stores and handlers; with the race detector where there are goroutines (5 minutes)
	@$(SUITE) units $(GOTESTSUM) plain -parallel 4 -timeout 10m $(SHORT)
	@$(SUITE) race $(GOTESTSUM) raced -race -parallel 4 -timeout 10m $(SHORT)

test-stack: servers $(GOTESTSUM) ## the published interface, against the program on the real stack (10 minutes)
	@$(STACK) stack $(GOTESTSUM) stack -p 2 -timeout 30m $(SHORT)

test-long: ## volumes of 100,000 and more, corpora, random kills, and the race detector over all the rest (24 minutes)
	@.ci/all-suites "make test-long" $(MAKE) --no-print-directory servers long-unit long-stack long-race

.PHONY: long-unit long-stack long-race
long-unit: postgres-tools $(GOTESTSUM)
	@$(SUITE) long $(GOTESTSUM) long -timeout 20m $(LONG)

long-stack: postgres-tools $(GOTESTSUM)
	@$(STACK) long-stack $(GOTESTSUM) long-stack -p 2 -timeout 30m $(LONG)

# Those that are tested without the race detector otherwise, and one test through everything
# against a program that is built of the same objects.
long-race: $(GOTESTSUM)
	@$(SUITE) long-race $(GOTESTSUM) long-race -race -timeout 15m $(SHORT)
	@mkdir -p bin/race && go build -race -ldflags '-s -w' -o bin/race/ ./cmd/redline && cp bin/redline-dev bin/race/
	@REDLINE_TEST_BINARY="$(CURDIR)/bin/race/redline" $(SUITE) smoke $(GOTESTSUM) ./tests/operation -timeout 10m -run '^TestSmoke'

soak: servers ## hundreds of random kills; prints its counts (4 to 9 minutes for a hundred beside other work)
	@REDLINE_TEST_BINARY="$(CURDIR)/bin/redline" REDLINE_SOAK=$(or $(KILLS),300) go test -count=1 -v -timeout 4h -run '^TestSoak_' ./tests/...

.PHONY: attack
attack: servers tests/attack/.venv/made ## COUNT requests that nobody would write by hand, half of them by Schemathesis, SEED repeats some; needs Python (2 minutes for 16,000)
	@REDLINE_TEST_BINARY="$(CURDIR)/bin/redline" REDLINE_TEST_SCHEMATHESIS="$(CURDIR)/tests/attack/.venv/bin/schemathesis" REDLINE_ATTACK=$(or $(COUNT),100000) REDLINE_ATTACK_SEED=$(or $(SEED),$$(date +%s)) \
	  go test -count=1 -v -timeout 6h -run '^Test(Long|Attack)_' ./tests/attack

fuzz: ## look for predicates, definitions, cron lines and inbound bodies that break what holds (a minute for each; FUZZ=10m for more)
	@.ci/fuzz $(or $(FUZZ),1m)

bench: servers ## measure, side by side with the bare parts; table and JSON in bench/results (hours)
	@REDLINE_BENCH_BINARY="$(CURDIR)/bin/redline" go run ./bench $(ARGS)

bench-start: ## measure the first and the second start against the bare installs, from empty caches (half an hour)
	@bench/first-start.sh

lint: $(GOLANGCI) $(WORKFLOWCHECK) $(GOVULNCHECK) $(OASDIFF) ## vet, linters, determinism of workflows, repeated lines, known vulnerabilities, promises of the interface (2 minutes, and 4 for the tools the first time)
	go vet ./...
	$(GOLANGCI) run ./...
	cd clients/go && $(GOLANGCI) run ./...
	$(WORKFLOWCHECK) ./workflows/...
	.ci/duplicates
	.ci/only-adds $(OASDIFF)
	@.ci/vulnerabilities $(GOVULNCHECK)

# Neither tests and what only they use, nor benchmarks, examples, the programs of developers and
# what a program wrote.
lines: ## count the lines of Go that are the product (seconds)
	@git grep -L '^// Code generated' -- '*.go' ':!*_test.go' ':!*test/*' ':!*/testdata/*' ':!tests' ':!bench' ':!examples' ':!tools' ':!cmd/redline-dev' | xargs cat | wc -l

# $(call made,<word of tools/gen>,<file>): renamed when it is whole, so that what failed leaves
# the file as it was.
define made
	@go run ./tools/gen $(1) >$(2).new
	@mv $(2).new $(2)
endef

NODE_MODULES := clients/typescript/node_modules/.package-lock.json

clients: $(OAPI_CODEGEN) $(NODE_MODULES) clients/python/.venv/made ## generate the clients from the document that the service publishes; needs Node and Python (half a minute)
	@go run ./tools/gen document
	@go run ./tools/gen schemas | $(OAPI_CODEGEN) -config clients/go/types.yaml -o clients/go/types.gen.go /dev/stdin
	$(call made,go,clients/go/operations.gen.go)
	@cd clients/typescript && npm run -s generate >/dev/null
	$(call made,typescript,clients/typescript/src/operations.ts)
	@clients/python/generate.sh
	$(call made,python,clients/python/src/redline/_operations.py)
	$(call made,python-async,clients/python/src/redline/_operations_async.py)

.PHONY: freeze
freeze: ## record schema, interface and commit as those of a release: tests hold what follows against them (seconds)
	@go run ./tools/gen freeze

test-clients: servers $(NODE_MODULES) clients/python/.venv/made ## the clients in other languages, by themselves and on the real stack; needs Node and Python (2 minutes)
	@cd clients/typescript && npm run -s build && npm run -s test
	@cd clients/python && .venv/bin/mypy src && .venv/bin/python -m pytest -q tests/test_unit.py
	@.ci/on-stack bin/redline-dev .ci/clients-on-stack

AXE := $(CACHE)/axe-core-4.14.1

test-console: servers $(GOTESTSUM) ## the console in headless Chromium, on the real stack; brings the browser where it is missing, needs npm (2 minutes)
	@.ci/browser $(AXE)
	@REDLINE_TEST_AXE=$(AXE)/axe.min.js $(STACK) console $(GOTESTSUM) ./tests/console/browser -timeout 15m -skip '^TestPictures_'

screenshots: servers $(GOTESTSUM) ## pictures of every page of the console with the demo workspace, in docs/pictures; needs what test-console needs (1 minute)
	@.ci/browser $(AXE)
	@mkdir -p docs/pictures
	@REDLINE_PICTURES="$(CURDIR)/docs/pictures" $(STACK) screenshots $(GOTESTSUM) ./tests/console/browser -timeout 10m -run '^TestPictures_'

# Their packages, as the lock files say, whatever else the user has npm and pip do. The file
# that comes last is made, so that what was interrupted is not taken for whole.
$(NODE_MODULES): clients/typescript/package-lock.json
	@cd clients/typescript && npm ci --include=dev --no-audit --no-fund --loglevel=error
	@touch $@
clients/python/.venv/made tests/attack/.venv/made: %/.venv/made: %/requirements.txt
	@python3 -m venv --clear $(@D) && PIP_USER=0 $(@D)/bin/pip install -q --disable-pip-version-check -r $< && touch $@

fmt: $(GOFUMPT) ## format the code (seconds)
	$(GOFUMPT) -w $$(git ls-files '*.go')

tools: $(GOTESTSUM) $(GOLANGCI) $(WORKFLOWCHECK) $(GOVULNCHECK) $(GOFUMPT) $(OAPI_CODEGEN) $(OASDIFF) ## install all tools (4 minutes)

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
$(OASDIFF):
	$(call install,$@,github.com/oasdiff/oasdiff@v1.37.0)
$(OAPI_CODEGEN):
	$(call install,$@,github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2)
$(GOFUMPT):
	$(call install,$@,mvdan.cc/gofumpt@v0.12.0)

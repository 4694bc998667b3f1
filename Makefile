# `make` alone lists the targets. `make run` and `make test` need Go and nothing else: Postgres's
# programs are looked for, and downloaded if there are none; no server has to run beforehand.

.DEFAULT_GOAL := help
.PHONY: help run build test race lint fix cover bench bench-engine bench-e2e bench-timers fuzz fuzz-xstate xstate-interop sim docker clean

# Longest that one package's tests may take; a hang shows its goroutines then.
TIMEOUT ?= 10m
FUZZTIME ?= 30s
COUNT ?= 3
DURATION ?= 10s
DUE ?= 2000
PENDING ?= 100000
EVENTS ?= 500
N ?= 10000

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: ## run everything in one process, with a Postgres of its own in .detent
	go run ./cmd/server

build: ## build the programs into bin/
	CGO_ENABLED=0 go build -trimpath -o bin/detent-server ./cmd/server
	CGO_ENABLED=0 go build -trimpath -o bin/detent-worker ./cmd/worker

test: ## run all tests, on a real Postgres
	go test -timeout $(TIMEOUT) ./...

race: ## run all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 30m ./...

lint: ## check formatting, vet and staticcheck (the project's own rules are tests, in internal/lint)
	@unformatted=$$(go tool gofumpt -l .); if [ -n "$$unformatted" ]; then \
		echo "not formatted (make fix):"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...

fix: ## format the code
	go tool gofumpt -w .

cover: ## run all tests, and show which statements of which package they reach
	go test -timeout $(TIMEOUT) -coverpkg=./internal/...,./cmd/... -coverprofile=coverage.out ./...
	go tool cover -func=coverage.out | tail -1
	go tool cover -html=coverage.out -o coverage.html

bench: ## run the benchmarks, COUNT times each (for benchstat)
	go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...

bench-engine: tools/bench-xstate/node_modules ## compare the engine's speed with XState's (needs Node; ARGS="-rounds 9")
	go run ./tools/bench-engine $(ARGS)

bench-e2e: ## load a server with events over HTTP, and check every one (DURATION=10s)
	go run ./tools/bench-e2e -duration $(DURATION) $(ARGS)

bench-timers: ## measure how late timers are (DURATION=10s DUE=2000 PENDING=100000 EVENTS=500)
	go run ./tools/bench-e2e -timers -duration $(DURATION) -due $(DUE) -pending $(PENDING) -events $(EVENTS) $(ARGS)

fuzz: ## run every fuzz test for FUZZTIME
	@set -e; for package in $$(go list ./internal/...); do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package; \
		done; done

fuzz-xstate: tools/xstate-oracle/node_modules ## hold the engine to XState on random cases (needs Node; N=5000, ARGS="-seed 7")
	go run ./tools/fuzz-xstate -n $(N) $(ARGS)

xstate-interop: tools/xstate-oracle/node_modules ## hand snapshots from the engine to XState and back, and compare what follows (needs Node)
	go run ./tools/xstate-interop

tools/%/node_modules: tools/%/package-lock.json
	cd tools/$* && npm ci
	@touch $@

sim: ## run N simulations of the runtime with fresh seeds (N=10000)
	go test ./internal/sim -run TestFreshSeeds -sim.runs $(N) -timeout 0

docker: ## build the image detent:dev
	docker build -t detent:dev .

clean: ## remove what was built; the data in .detent stay
	rm -rf bin coverage.out coverage.html

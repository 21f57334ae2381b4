# make run      the site on http://localhost:8080 (PORT, ADMIN_PORT, BACKEND_PORT and STORE move it elsewhere)
# make test     everything that is checked
# make soak     the gateway's tests in full: 500 kills, 200 deployments and 200 rollbacks under load, many more random cases
# make fuzz     each fuzz target for a minute (FUZZ_SECONDS); wants a nightly toolchain and cargo-fuzz
# make gallery  every component of the design in every state, on http://localhost:8088 (PORT moves it elsewhere)
# make build    the gateway and the releases of the shell and the sections

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run build test soak fuzz gallery gallery-built gallery-pictures gateway gateway-tested releases tools format lint lint-gateway lint-web test-gateway test-web test-web-and-site test-site browser api-report clean

TSC := node node_modules/typescript-7/bin/tsc
FUZZ_SECONDS ?= 60
CARGO_TEST := $(shell cargo nextest --version >/dev/null 2>&1 && echo nextest run || echo test)

help:
	@sed -n 's/^# \(make\)/\1/p' Makefile

run: build
	@exec node tests/development/run.mjs

build: gateway releases

gateway: tools
	@cargo build --locked

releases: node_modules/.installed
	@$(TSC) --build kit/tsconfig.build.json
	@node shell/art/draw.mjs
	@node tests/development/build.mjs

tools:
	@command -v cargo >/dev/null || { echo "Rust is missing: install it from https://rustup.rs, then run make again."; exit 1; }
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "Node.js is missing: install version 20.19 or newer with npm, then run make again."; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 19)) { console.error(`Node.js $${process.versions.node} is too old: 20.19 or newer is needed.`); process.exit(1); }'

node_modules/.installed: package-lock.json package.json kit/package.json shell/package.json tests/package.json $(wildcard mfe-*/package.json) | tools
	@npm ci --no-fund --no-audit --loglevel error
	@touch $@

# All of it. The gateway's tests wait for deadlines more than they compute, so the rest is built and checked meanwhile.
test:
	@$(MAKE) --no-print-directory -j3 $(if $(filter output-sync,$(.FEATURES)),--output-sync) test-gateway lint-gateway test-web-and-site

test-web-and-site:
	@$(MAKE) --no-print-directory test-web lint-web
	@$(MAKE) --no-print-directory test-site

lint: lint-gateway lint-web

# clippy comes last: cargo does one thing at a time, and the tests that are built beside this take longer.
lint-gateway: tools
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --all-features check bans licenses sources; \
	else echo "cargo-deny is not installed: licences and duplicate crates are not checked."; fi
	@node tests/development/advisories.mjs
	cargo clippy --quiet --locked --all-targets --all-features -- -D warnings

lint-web: releases
	$(TSC) --build
	cd kit && npx api-extractor run --config api-extractor.json
	npx eslint . --max-warnings 0
	npx prettier --check --log-level warn .

test-gateway: tools
	cargo $(CARGO_TEST) --locked

# What `make test` does a tenth of, in full: kills, deployments under load, idle connections, requests, random cases; and
# the tests of what is built in on request alone.
soak: tools
	SOAK=1 PROPTEST_CASES=20000 cargo $(CARGO_TEST) --locked
	cargo $(CARGO_TEST) --locked --features otlp traces

# The only thing here that needs either tool. What is found on the way stays in fuzz/target/found, and is where the next
# run begins; what is worth keeping is copied into fuzz/corpus, where `make test` replays it.
fuzz: tools
	@cargo +nightly --version >/dev/null 2>&1 || { echo "A nightly toolchain is missing: install it by \`rustup toolchain install nightly\`, then run make fuzz again."; exit 1; }
	@cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: install it by \`cargo install --locked cargo-fuzz\`, then run make fuzz again."; exit 1; }
	@set -e; for target in $(notdir $(wildcard fuzz/corpus/*)); do \
		mkdir -p fuzz/target/found/$$target; \
		echo "$$target: for $(FUZZ_SECONDS) s"; \
		cargo +nightly fuzz run $$target fuzz/target/found/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1; \
	done

test-web: releases
	npx vitest run

# The gateway as its own tests have it: to leave their dependencies out, cargo would build half of it once more.
gateway-tested: tools
	@cargo build --locked --tests

test-site: gateway-tested releases gallery-built browser
	cd tests && npx playwright test

# The design system's components by themselves; part of no release.
gallery: gallery-built
	@exec node kit/gallery/dist/main.js

gallery-built: node_modules/.installed
	@$(TSC) --build kit/tsconfig.gallery.json

# After a deliberate change of the design: the pictures are reviewed with it.
gallery-pictures: gallery-built browser
	cd tests && npx playwright test --project gallery --update-snapshots

browser: node_modules/.installed
	@node tests/development/browser.mjs

# After a deliberate change of the section contract: the report is reviewed with it.
api-report: releases
	cd kit && npx api-extractor run --local --config api-extractor.json

format: node_modules/.installed
	cargo fmt
	cargo fmt --manifest-path fuzz/Cargo.toml
	npx prettier --write --log-level warn .

# The store is data, not a build's output, and stays.
clean:
	rm -rf node_modules kit/dist kit/gallery/dist shell/art/drawn shell/release mfe-*/release target fuzz/target fuzz/artifacts .run

# make run               serve the site on http://localhost:8080 (override PORT, ADMIN_PORT, BACKEND_PORT, STORE)
# make example           add the events example, a section with live data and its API, to the running site
# make example-shell     serve another company's site, examples/minimal-shell, on http://localhost:8180 (override PORT, ADMIN_PORT)
# make check             after an edit: check what differs from the merge base with main, in at most a minute
# make test              run all checks
# make test-rust         run only the Rust tests (CRATE=colonnade-site, or CRATE=gateway FILTER=signup_limits::)
# make test-web          run only unit and component tests (FILE=packages/shell/src/head.test.ts)
# make test-site         run only browser tests (FILE=rendering/hydration)
# make test-api          compare the admin API with its OpenAPI description; needs Python 3.11
# make lint              run only formatters, linters and type checks, and build the documentation
# make format            format all code
# make packages          build the npm packages, which type checks and tests of the web read
# make build             build the gateway, and the releases of the shell and the sections
# make soak              run the gateway's tests at full length: 500 kills, 10,000 simulations, 200 deployments and 200 rollbacks under load
# make bench             compare the gateway with nginx, hyper, Pingora and Caddy, and write docs/benchmarks.md; 45 minutes
# make fuzz              run each fuzz target for FUZZ_SECONDS (60); needs a nightly toolchain and cargo-fuzz
# make console           build the operator's console, which the next build of the gateway contains
# make gallery           serve the component gallery on http://localhost:8088 (override PORT)
# make gallery-pictures  update the gallery's reference screenshots after a design change
# make docs              build the documentation site in docs/.vitepress/dist, and check its links
# make docs-serve        serve the documentation site on http://localhost:8090 (override PORT)
# make api-report        update the API reports of the packages after a change of a public type
# make openapi           update the description of the admin API that the console is checked with
# make config-reference  update the configuration reference after a change of site.toml or of a key
# make deb               build a Debian package of the gateway in target/debian; needs cargo-deb
# make clean             delete build output, but not the store

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run example example-shell example-release build packages console check test test-rust soak bench bench-peers instructions fuzz gallery gallery-built gallery-pictures gateway gateway-tested releases tools format lint clippy lint-rust lint-web test-web test-web-and-site test-site test-api operator-day teams-day browser docs docs-serve api-report openapi config-reference prometheus-rule deb image sbom clean

TSC := node node_modules/typescript-7/bin/tsc
API_REPORTS := node packages/api-reports.mjs
FUZZ_SECONDS ?= 60
IMAGE_TAG ?= latest
# All crates are built together: a selection of them would build third-party crates again, with other features. Only the tests of
# the package gateway need the program black_box, which takes long to compile; the pattern selects the others.
ifeq ($(shell cargo nextest --version >/dev/null 2>&1 && echo yes),yes)
CARGO_TEST = cargo nextest run --locked --workspace $(if $(filter-out gateway,$(CRATE)),--lib --bins --test '[!b]*')
# Most tests wait more than they compute.
CARGO_FILTER = --test-threads $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN)) $(if $(CRATE),-E 'package(=$(CRATE)) & test(/^$(FILTER)/)')
else
CARGO_TEST = cargo test --locked $(if $(CRATE),--package $(CRATE),--workspace)
CARGO_FILTER = $(FILTER)
endif
# A continuous integration job builds once, so files for incremental builds would never be read. Nobody attaches a debugger.
ifdef CI
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0
endif
# Tests create thousands of small files. A file system in memory spares their journal, and nothing waits for a busy disk. It must
# hold them, and run the library that injects faults: in containers it is often small and not executable.
IN_MEMORY := $(shell grep -s ' /dev/shm tmpfs rw' /proc/mounts | grep -qv noexec && \
	[ "$$(df -kP /dev/shm | awk 'NR == 2 { print $$4 }')" -gt 1000000 ] && echo TMPDIR=/dev/shm)
# The gateway's tests have short timeouts, so what runs beside them has a lower priority.
AFTER_GATEWAY := nice -n 3
# Clippy compiles the tested code, so that linting needs no second build. `cargo clippy` sets the same variables.
WITH_CLIPPY := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

help:
	@sed -n 's/^# \(make\)/\1/p' Makefile

run: build
	@exec node tests/development/run.mjs

# Clippy compiles the tested code, as in `make test`.
check: node_modules/.installed console/src/openapi.d.ts
	@$(WITH_CLIPPY) node tests/development/check.mjs

# Builds only what the example needs: the site runs already.
example: packages
	@exec node tests/development/example.mjs

# Builds only the gateway, and the two releases of the example.
example-shell: gateway
	@exec node tests/development/example-shell.mjs

# The last crates compile one after another. The releases get the processor time that is left then.
build: node_modules/.installed
	@$(MAKE) --no-print-directory -j2 gateway releases BESIDE='nice -n 19'

packages: node_modules/.installed
	@$(TSC) --build packages/design/tsconfig.build.json packages/shell/tsconfig.build.json packages/cli/tsconfig.build.json && node packages/remove-stale.mjs packages/design packages/kit packages/shell packages/cli && node packages/cli/scripts/copy-files.mjs && echo "built the packages in $$SECONDS s"

# Types of the responses of the admin API.
console/src/openapi.d.ts: console/openapi.json console/types.js | node_modules/.installed
	@node console/types.js

console: packages
	@node console/build.js && echo "built the console in $$SECONDS s"

# The binary contains the console.
gateway: console
	@cargo build --locked --package gateway && echo "built the gateway in $$SECONDS s"

releases: packages
	@$(BESIDE) node shell/art/draw.mjs && $(BESIDE) node tests/development/build.mjs && echo "built the releases in $$SECONDS s"

example-release: packages
	@node tests/development/build.mjs --example

tools:
	@command -v cargo >/dev/null || { echo "Rust is missing: install it from https://rustup.rs, then run make again."; exit 1; }
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "Node.js is missing: install version 20.19 or newer with npm, then run make again."; exit 1; }
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (a < 20 || (a === 20 && b < 19)) { console.error(`Node.js $${process.versions.node} is too old: 20.19 or newer is needed.`); process.exit(1); }'

node_modules/.installed: package-lock.json package.json docs/package.json shell/package.json tests/package.json $(wildcard mfe-*/package.json packages/*/package.json examples/*/package.json) | tools
	@npm ci --no-fund --no-audit --loglevel error
	@touch $@

# The gateway's tests spend most of their time waiting for timeouts, so the other checks run in parallel.
test: console
	@$(MAKE) --no-print-directory -j3 $(if $(filter output-sync,$(.FEATURES)),--output-sync) test-rust lint-rust test-web-and-site
	@node tests/development/optional-tools.mjs

# The jobs of `test` are shared. Browser tests leave time for the linters, other than the tests that run beside the gateway's.
test-web-and-site:
	@$(AFTER_GATEWAY) $(MAKE) --no-print-directory test-web
	@$(AFTER_GATEWAY) $(MAKE) --no-print-directory test-site lint-web test-api

# The site of the documentation takes as long as all linters. `make test` compiles its pages and checks their links without it.
lint: clippy lint-rust lint-web docs

clippy: tools
	cargo clippy --quiet --locked --all-targets --all-features -- -D warnings

lint-rust: tools
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check bans licenses sources; \
	else echo "cargo-deny is not installed: skipping the license and duplicate crate checks."; fi
	@node tests/development/advisories.mjs

# Oxlint takes a third of the CPU time of ESLint, which checks only what Oxlint does not have.
lint-web: releases console/src/openapi.d.ts
	$(TSC) --build
	$(API_REPORTS)
	npx --no -- oxlint --deny-warnings
	npx --no -- eslint . --max-warnings 0
	npx --no -- prettier --check --cache --cache-strategy content --log-level warn .

test-rust: tools
	@mkdir -p target
	@$(WITH_CLIPPY) $(AFTER_GATEWAY) $(CARGO_TEST) --no-run
	@set -o pipefail; for tool in promtool prometheus pebble; do export $${tool^^}="$$(node tests/development/optional-tools.mjs $$tool)"; done; \
	$(IN_MEMORY) $(WITH_CLIPPY) $(CARGO_TEST) $(CARGO_FILTER) 2>&1 | tee target/test-rust.log
	@echo "The ten slowest Rust tests (cargo-nextest measures them):"
	@grep -E '^ +PASS \[' target/test-rust.log | sort -t '[' -k 2 -rn | head -n 10

# Runs the long tests with at least ten times the iterations of `make test`, installations of new sections by each package
# manager, thousands of generated requests to the admin API, an operator's day, a day of 105 teams, every fault on every section,
# every screen where `make test` checks one of each kind, remotes of webpack, the packages of the compatibility page, the gallery's
# screenshots, the bytes of shared packages, and the site of the documentation.
soak: console releases example-release gallery-built browser docs
	@$(MAKE) --no-print-directory gateway-tested
	SOAK=1 NEXTEST_PROFILE=soak PROPTEST_CASES=20000 $(WITH_CLIPPY) $(CARGO_TEST)
	SOAK=1 npx --no -- vitest run packages/cli/src/cli/packed.test.ts
	SOAK=1 node tests/api/schemathesis.mjs
	node bench/shared-packages.mjs
	node tests/operator/day.mjs
	SOAK=1 node tests/operator/teams.mjs
	cd tests/compatibility && npm ci --no-fund --no-audit --loglevel error
	cd tests && SOAK=1 npx --no -- playwright test
	@$(MAKE) --no-print-directory instructions

# Compares the instructions of a request with bench/instructions.json.
instructions: console releases
	@if command -v valgrind >/dev/null; then cargo build --locked --release --package gateway && GATEWAY_PROFILE=release node bench/instructions.mjs; \
	else echo "Valgrind is not installed: skipping the count of instructions."; fi

# Each script keeps its results in target/bench, and the last one writes the page from them.
bench: console releases browser bench-peers
	@cargo build --locked --release --package gateway --bin gateway --package colonnade-testing-s3 --example s3_server
	@export GATEWAY_PROFILE=release; set -e; for script in compare connections growth first-paint extensions page; do node bench/$$script.mjs; done

bench-peers: tools
	@command -v cmake >/dev/null || echo "CMake is missing: without it there is no comparison with Pingora. Install Debian's package cmake."
	@cargo build --locked --release --manifest-path bench/peers/Cargo.toml --target-dir target/peers $$(command -v cmake >/dev/null && echo --features pingora)

# Discovered inputs stay in fuzz/target/found, where the next run starts. Copy inputs worth keeping into fuzz/corpus, which
# `make test` replays. The targets are a workspace of their own, with the crates of the gateway's lock file.
fuzz: tools
	@cargo +nightly --version >/dev/null 2>&1 || { echo "A nightly toolchain is missing: run \`rustup toolchain install nightly\`, then run make fuzz again."; exit 1; }
	@cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is missing: run \`cargo install --locked cargo-fuzz\`, then run make fuzz again."; exit 1; }
	@cp Cargo.lock fuzz/Cargo.lock
	@set -e; for target in $(notdir $(wildcard fuzz/corpus/*)); do \
		mkdir -p fuzz/target/found/$$target; \
		echo "$$target: $(FUZZ_SECONDS) s"; \
		cargo +nightly fuzz run $$target fuzz/target/found/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1; \
	done

# Of the single files, only those of the command need the shell of `colonnade dev`, which the releases have.
test-web: $(if $(FILE),$(if $(filter packages/cli/%,$(FILE)),releases,packages),releases)
	$(IN_MEMORY) npx --no -- vitest run $(FILE)

# Builds the gateway with the features of the tests' dependencies: `make test` has built it already. Cargo uses these features
# if it builds a test, such as the small ones that the pattern selects.
gateway-tested: tools
	@$(WITH_CLIPPY) cargo build --locked --workspace --bins --test '[!b]*'

# What single files of browser tests need besides the releases of the site.
OTHER_RELEASES = $(if $(FILE),$(if $(filter example%,$(FILE)),example-release) $(if $(filter gallery%,$(FILE)),gallery-built),example-release gallery-built)

test-site: console releases $(OTHER_RELEASES) browser
	@$(MAKE) --no-print-directory gateway-tested
	cd tests && $(IN_MEMORY) npx --no -- playwright test $(FILE)

# Compares the admin API with its OpenAPI description. Needs Python 3.11.
test-api: gateway-tested releases
	@node tests/api/schemathesis.mjs

# An operator's day, from the installation to the restore of a lost store, as a transcript.
operator-day: gateway-tested releases
	@node tests/operator/day.mjs

# A day of 105 teams at one gateway, as a transcript, with pictures of the console in target/operator.
teams-day: gateway-tested releases browser
	@node tests/operator/teams.mjs

# The component gallery is not part of any release.
gallery: gallery-built
	@exec node packages/design/gallery/dist/main.js

gallery-built: node_modules/.installed
	@$(TSC) --build packages/design/tsconfig.gallery.json

# Updates the reference screenshots after a deliberate design change. Review them with the change.
gallery-pictures: gallery-built browser
	cd tests && SOAK=1 npx --no -- playwright test --project pictures --update-snapshots

browser: node_modules/.installed
	@node tests/development/browser.mjs

docs: node_modules/.installed
	@npm run build --silent --workspace docs

docs-serve: docs
	@exec npm run serve --silent --workspace docs -- --port $(or $(PORT),8090)

# Updates the API reports after a deliberate change of a public type. Review them with the change.
api-report: releases
	$(API_REPORTS) --local

# Updates the description from which the types of the console are generated, after a change of the admin API.
openapi: console
	@UPDATE_OPENAPI=1 $(MAKE) --no-print-directory test-rust CRATE=gateway FILTER=openapi::openapi_is_served

# Updates the generated part of docs/operate/configuration.md. Review it with the change.
config-reference: tools
	UPDATE_CONFIG_REFERENCE=1 cargo test --quiet --locked --package colonnade-config --test parse reference::

# Kustomize cannot put a file into a resource.
prometheus-rule:
	@{ printf '%s\n' '# Generated from rules.yml: make prometheus-rule' 'apiVersion: monitoring.coreos.com/v1' 'kind: PrometheusRule' \
		'metadata:' '  name: colonnade' 'spec:'; sed '/^#/d; /./s/^/  /' deploy/observability/rules.yml; } > deploy/observability/prometheus-rule.yaml

format: node_modules/.installed
	cargo fmt
	cargo fmt --manifest-path fuzz/Cargo.toml
	npx --no -- prettier --write --log-level warn .

# The package is in target/debian. cargo-deb finds the libraries that the binary needs. The shell has the version of its package.json.
deb: tools console releases
	@cargo deb --version >/dev/null 2>&1 || { echo "cargo-deb is missing: run \`cargo install --locked cargo-deb\`, then run make deb again."; exit 1; }
	@cargo build --locked --release
	@mkdir -p target/release/package/man
	@target/release/gateway manual target/release/package/man
	@for shell in bash fish zsh; do target/release/gateway completion $$shell > target/release/package/gateway.$$shell; done
	@sed -f deploy/debian/site.sed site.toml > target/release/package/site.toml
	@rm -rf target/release/package/releases && mkdir target/release/package/releases
	@cd shell && npx --no -- colonnade build --final
	@tar --create --gzip --exclude inputs.json --directory shell/release \
		--file target/release/package/releases/shell-$$(node -p 'require("./shell/release/release.json").version').tgz .
	@cargo deb --no-build --package gateway

# The lists (SBOM, in the CycloneDX format) are those of the lockfiles.
image: tools
	@command -v buildah >/dev/null || { echo "buildah is missing: install it (Debian's package buildah), then run make image again."; exit 1; }
	buildah build --file deploy/container/Dockerfile --build-arg COLONNADE_COMMIT=$$(git rev-parse --short=12 HEAD) --tag colonnade:$(IMAGE_TAG) .
	@$(MAKE) --no-print-directory sbom

sbom: node_modules/.installed
	@mkdir -p target/sbom
	@npm sbom --workspace console --omit dev --package-lock-only --sbom-format cyclonedx > target/sbom/console.cdx.json
	@# It writes a list for each crate of the workspace.
	@if cargo cyclonedx --version >/dev/null 2>&1; then \
		cargo cyclonedx --quiet --no-build-deps --manifest-path gateway/Cargo.toml --format json --override-filename gateway.cdx && \
		mv gateway/gateway.cdx.json target/sbom && find gateway/crates -name gateway.cdx.json -delete; \
	else echo "cargo-cyclonedx is not installed: the list of crates is missing."; fi
	@ls target/sbom

# Keeps the store, because it is data and not build output.
clean:
	rm -rf node_modules packages/*/node_modules packages/*/dist packages/design/gallery/dist packages/cli/development-shell/dist console/dist/* docs/api docs/.vitepress/cache docs/.vitepress/dist shell/art/drawn shell/release mfe-*/release examples/*/release target fuzz/Cargo.lock fuzz/target fuzz/artifacts .run

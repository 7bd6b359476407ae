# `make help` lists what can be made.

SWIFT ?= swift
CONFIGURATION ?= debug
TOOLS = .build/tools

PREFIX ?= /usr/local
BUILT = .build/installation
SDK = .build/sdk

.PHONY: help deps build tools pam demo test test-long test-release hostile installation sdk install deb check-format docs bench load tidy asan tsan fuzz soak mutants clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

deps: ## install the system packages that are missing
	@scripts/deps

build: deps ## build everything
	$(SWIFT) build --configuration $(CONFIGURATION)

tools: deps ## the programs, optimised: the command as a static executable, beside its daemons
	@scripts/build-tools $(TOOLS)

pam: ## the module that unlocks the keychain at login
	@scripts/build-pam $(TOOLS)

demo: build ## run the main job: a program and a script store secrets, others read them back, a restart loses nothing
	@scripts/demo .build/$(CONFIGURATION)

test: deps check-format ## what proves that the product works, before each change; make test TESTS="-k hostile" runs a part
	@scripts/run-tests gate $(TESTS)

test-long: deps ## kills at random moments, soaks, attacks on timing, full matrices, new seeds
	@scripts/deps long
	@scripts/run-tests long $(TESTS)

test-release: deps ## SDK, packages, neighbours, counts of the release build, C: what builds something else
	@scripts/deps packages
	@scripts/run-tests release $(TESTS)

hostile: deps ## attack the system service with real users of this machine, as root; the table says what became of it
	@$(SWIFT) build
	@Tests/Scripts/hostile_long_test.sh $(ATTACKS)

installation: deps ## build what is installed, optimised, with Swift's runtime inside
	@scripts/build-installation $(BUILT)

sdk: deps ## build the library and the modules for programs that do not build this package
	@scripts/build-sdk $(SDK)

install: ## install what make installation and make sdk have built: DESTDIR, PREFIX (/usr/local)
	@[ ! -e $(BUILT)/security ] || DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) scripts/install $(BUILT)
	@[ ! -e $(SDK)/libSecurity.so.1 ] || DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) scripts/install-sdk $(SDK)
	@[ -e $(BUILT)/security ] || [ -e $(SDK)/libSecurity.so.1 ] || { echo "nothing is built: make installation, make sdk"; exit 1; }

deb: installation sdk ## build the Debian packages into .build/deb, and hold them against Debian's rules
	@scripts/deps packages
	@rm -rf .build/deb
	@KEYCHAIN_BUILT=$(abspath $(BUILT)) KEYCHAIN_SDK_BUILT=$(abspath $(SDK)) scripts/build-deb .build/deb
	@lintian --allow-root --fail-on error,warning .build/deb/*.changes

check-format: ## the layout of the code
	@$(SWIFT) format lint --strict --parallel --recursive Sources Tests Examples Benchmarks Package.swift

tidy: ## names, layers, sizes and language, held against their ceilings; make tidy RULE=sleeps says where
	@$(SWIFT) build --build-tests
	@python3 Tests/Tidy/tidy.py $(if $(RULE),--places "$(RULE)")

asan: deps ## the test suite with the address sanitizer
	@scripts/sanitize address

tsan: deps ## the test suite with the thread sanitizer
	@scripts/sanitize thread

docs: deps ## the documentation of the public modules
	@scripts/docs

fuzz: deps ## fuzz what reads from outside, each target for SECONDS (60), two at a time: make fuzz SECONDS=600 TARGETS=fuzz-json
	@SECONDS=$(or $(SECONDS),60) scripts/fuzz $(TARGETS)

soak: deps ## the storage machinery for TIME seconds (600), beginning with SEED (1): make soak TIME=3600
	@TIME=$(or $(TIME),600) SEED=$(or $(SEED),1) scripts/soak

mutants: deps ## broken builds of the storage, and which check catches each: make mutants MUTANTS=no-sync
	@scripts/mutants $(MUTANTS)

bench: deps ## speed, every figure beside its floor
	@scripts/bench

load: deps ## one program attacks, and how much slower another one gets: every attack beside its control
	@scripts/load

reproducible: deps ## build what is installed twice, in two places, and compare the files
	@scripts/reproducible

clean: ## remove what was built
	$(SWIFT) package clean

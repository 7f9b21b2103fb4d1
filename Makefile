# Thin: what to build is in meson.build, how the rest runs is in scripts/.
PREFIX ?= /opt/openurom
DESTDIR ?=
SETUP := scripts/setup.sh

.PHONY: all help demo test check soak bench bench-quick install uninstall expected clean

all:
	@$(SETUP) build test
	@scripts/build.sh gcc

help:
	@echo 'make              build the libraries, samples, tests and benchmarks in build/gcc'
	@echo 'make demo         build; show a UROM daemon, four workers and a plugin at work'
	@echo 'make test         build with gcc, run every test suite'
	@echo 'make check        the suites with clang and the sanitizers, fuzzing, and all gates'
	@echo 'make soak         the long forms of tests, under the sanitizers'
	@echo 'make bench-quick  short measurements; figures are appended to build/bench.jsonl'
	@echo 'make bench        full measurements'
	@echo 'make install      install to PREFIX=$(PREFIX); DESTDIR is honoured'
	@echo 'make uninstall    remove what make install put there'
	@echo 'make expected     rewrite tests/expected.txt from the last make test and make check'
	@echo 'make clean        remove build/'

demo: all
	@scripts/demo.sh

test:
	@$(SETUP) build test
	@scripts/test.sh gcc

check:
	@$(SETUP) build test check
	@scripts/check.sh

soak:
	@$(SETUP) build test check
	@scripts/soak.sh

bench bench-quick: all
	@scripts/bench.sh $(if $(filter bench-quick,$@),--quick)

install:
	@$(SETUP) build install
	@DESTDIR='$(DESTDIR)' scripts/install.sh '$(PREFIX)'

uninstall:
	@DESTDIR='$(DESTDIR)' scripts/install.sh --uninstall '$(PREFIX)'

expected:
	@scripts/tests_ran.py --update

clean:
	rm -rf build

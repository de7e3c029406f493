# Two commands matter: `make demo` and `make test`. Both install what is missing, and build.

JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

.PHONY: demo test build deps test-deps docs format check results bench asan clean

demo: build
	build/glgnn fit wine --out build/wine.glgnn

# Everything that CI runs: style and layers, then every test.
test: test-deps build check
	cd build && ctest --output-on-failure --parallel $(JOBS)

build: deps
	cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }
	cmake --build --preset release --parallel $(JOBS)
	@rm -f build.log

deps:
	@tools/install-deps

test-deps:
	@tools/install-deps test

# The pages of the C++ API: build/docs/html/index.html.
docs: test-deps
	mkdir -p build/docs
	doxygen docs/Doxyfile

# Layers of the #include lines, and formatting.
check: deps
	$(PYTHON) tools/check_layers.py
	tools/format --check

format: deps
	tools/format

# The tables of docs/results.md (hours).
results: build
	$(PYTHON) tools/make_results.py

# docs/benchmarks.md, with the peers' packages installed (an hour). Options: make bench BENCH="--mnist DIR".
bench: build
	@tools/install-deps bench
	build/glgnn bench --json $(BENCH) > build/bench.json
	$(PYTHON) bench/make_page.py build/bench.json

# All tests once more under the address and undefined-behaviour sanitizers.
asan: deps
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

clean:
	rm -rf build build-debug build-asan build-python

# Two commands matter: `make demo` and `make test`. Both install what is missing, and build.

JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

.PHONY: demo test build develop deps test-deps docs format check results bench asan tsan faults fuzz clang-deps wheel deb cuda clean

demo: build
	build/glgnn fit wine --out build/wine.glgnn

# Everything that CI runs: style and layers, then every test.
test: develop check
	cd build && ctest --output-on-failure --parallel $(JOBS)

# The program: build/glgnn. A folder `build` that is there keeps its settings, so that a developer's stays one.
build: deps
	@[ -f build/build.ninja ] || { echo "looking for compiler and libraries"; cmake --preset program > build.log 2>&1; } \
	  || { cat build.log; exit 1; }
	@rm -f build.log
	cmake --build build --parallel $(JOBS) --target glgnn_program

# All that developers need: the program, tests, glgnn-bench and the Python package, with warnings as errors.
develop: test-deps
	cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	cmake --build --preset release --parallel $(JOBS)

deps:
	@tools/install-deps

test-deps:
	@tools/install-deps test

# The pages of the C++ API: build/docs/html/index.html.
docs: test-deps
	mkdir -p build/docs
	doxygen docs/Doxyfile

# Layers of the #include lines, and formatting.
check: test-deps
	$(PYTHON) tools/check_layers.py
	tools/format --check

format: test-deps
	tools/format

# The tables of docs/results.md (hours).
results: develop
	$(PYTHON) tools/make_results.py

# docs/benchmarks.md, with the peers' packages installed (an hour). Options: make bench BENCH="--mnist DIR".
bench: develop
	@tools/install-deps bench
	build/glgnn-bench --json $(BENCH) > build/bench.json
	$(PYTHON) bench/make_page.py build/bench.json

# A wheel of the Python package, with the program, in $(OUT).
OUT ?= build/packages
wheel: test-deps
	$(PYTHON) -m pip wheel --no-build-isolation --no-deps --no-index --quiet --wheel-dir $(OUT) .

# A Debian package of the program, the C++ library and the data, in $(OUT).
deb: build
	cmake --build build --parallel $(JOBS)
	cpack --config build/CPackConfig.cmake -B $(OUT)

# All tests but those of Python once more, under clang's address and undefined-behaviour sanitizers.
asan: test-deps clang-deps
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

# The tests in C++ once more, under the thread sanitizer. OpenBLAS is not compiled with it and is left out.
tsan: test-deps clang-deps
	cmake --preset tsan
	cmake --build --preset tsan --parallel $(JOBS) --target unit_tests --target op_check
	for test in build-tsan/tests/unit_tests build-tsan/tests/op_check; do TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	  OMP_TOOL_LIBRARIES=/usr/lib/llvm-14/lib/libarcher.so $$test || exit 1; done

clang-deps:
	@tools/install-deps clang

# The program, op_check and glgnn-bench-cuda with the kernels for NVIDIA GPUs, in build-cuda (needs nvcc of CUDA 13).
cuda: test-deps
	cmake --preset cuda
	cmake --build --preset cuda --parallel $(JOBS) --target glgnn_program op_check glgnn_bench_cuda

# Every reader and our own files fed with hostile bytes by clang's libFuzzer, with the sanitizers, until each had
# a million inputs; an hour, and the next call goes on from there. FUZZ="csv npz --seconds 60" asks for less.
fuzz: test-deps clang-deps
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS) --target fuzz_readers --target fuzz_replay
	tests/fuzz/run --jobs $(JOBS) $(FUZZ)

# Every n-th allocation, write, sync and rename fails in turn; 200 kills, 60 signals, a full disk (an hour).
faults: develop
	GLGNN_ALL_FAULTS=1 OMP_WAIT_POLICY=passive build/tests/fault_tests
	$(PYTHON) tests/faults/crash_runs.py kills build/glgnn --count 200
	$(PYTHON) tests/faults/crash_runs.py signals build/glgnn --count 60
	$(PYTHON) tests/faults/crash_runs.py disk build/glgnn || [ $$? -eq 77 ]

clean:
	rm -rf build build-debug build-asan build-tsan build-cuda build-python

#!/usr/bin/env bash
# Builds the core with address and undefined-behaviour sanitizers and runs the core's tests on it.
# Usage: tests/sanitize.sh PYTHON
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."
overlay=build/sanitize/package

cmake -S . -B build/sanitize/cmake -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSELFMATE_SANITIZE=ON \
  -DPython_EXECUTABLE="$python" -DCMAKE_MAKE_PROGRAM="$(dirname "$python")/ninja" > /dev/null
cmake --build build/sanitize/cmake
mkdir -p "$overlay"
rm -rf "$overlay/selfmate"
cp -r src/selfmate "$overlay/"
rm -f "$overlay"/selfmate/*.so
cp build/sanitize/cmake/_core*.so "$overlay/selfmate/"

# -S leaves out the editable install, so that the overlay is what gets imported.
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
run="import sys; sys.path[:0] = ['$overlay', 'benchmarks', '$packages']; import pytest, selfmate._core as core"
run="$run; print('sanitized core:', core.__file__)"
# Python's own capture only: a sanitizer's report must reach the terminal.
run="$run; options = ['--capture=sys', '-m', 'not memory']"
run="$run; folders = ['core', 'oracle', 'unit/rules', 'unit/encodings']"
run="$run; sys.exit(pytest.main([*options, *('tests/' + folder for folder in folders)]))"
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  SELFMATE_FUZZ_POSITIONS=${SELFMATE_FUZZ_POSITIONS:-5000} \
  SELFMATE_NASTY_CALLS=${SELFMATE_NASTY_CALLS:-1000} \
  "$python" -S -c "$run"
echo "sanitizers found nothing"

#!/usr/bin/env bash
# Builds the core with g++ and clang++, warnings as errors, and for aarch64, and checks what each of
# them computes against tests/core/core_checks.txt. What is not installed is skipped; on Debian:
# apt-get install clang g++-aarch64-linux-gnu qemu-user
# Usage: tests/slow.sh PYTHON
set -euo pipefail
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."

# build NAME COMPILER TARGETS [OPTIONS...]
build() {
  local folder=build/slow/$1 compiler=$2 targets=$3
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DPython_EXECUTABLE="$python" \
    -DCMAKE_MAKE_PROGRAM="$(dirname "$python")/ninja" "${@:4}" > /dev/null
  # shellcheck disable=SC2086
  cmake --build "$folder" --target $targets
}

# check NAME [EMULATOR]
check() {
  ${2:-} "build/slow/$1/core_checks" | diff tests/core/core_checks.txt -
  echo "$1: the core computes what it should"
}

for compiler in g++ clang++; do
  if command -v $compiler > /dev/null; then
    build $compiler $compiler "_core core_checks"
    check $compiler
  else
    echo "no $compiler: the core is not built with it"
  fi
done

cross=aarch64-linux-gnu-g++
if command -v $cross > /dev/null && command -v qemu-aarch64 > /dev/null; then
  build aarch64 $cross core_checks -DCMAKE_EXE_LINKER_FLAGS=-static
  check aarch64 qemu-aarch64
else
  echo "no $cross or no qemu-aarch64: the core is not tested for aarch64"
fi

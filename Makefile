# SPDX-License-Identifier: MIT
# gridutils: CUDA programs for the shell, on a GPU and in an embedded SIMT simulator.
#
# Every program, bin/NAME, is one executable made of four parts:
#     build/host    common/ROOM/*.cpp    options, output, main(): g++
#     build/gpu     tools/NAME.cu        namespace gpu: nvcc (left out where nvcc is missing)
#     build/sim     tools/NAME.cu        namespace sim: bin/simcc, our own compiler driver for the simulator
#     build/checked tools/NAME.cu        namespace checked: bin/simcc --check, where every load and store is checked
# A program without kernels, tools/NAME.cpp, has only the first part.
#
# A new file needs no line here: programs, kernels and the files of a room are found. What else make has to know of a
# file is said in the file, in a line `// make: WORD (why)`, its mark:
#     -O3         its own level of optimization: a .cpp file is then a unit by itself; of a .cu file, what is simulated
#     room -O1    the level of its whole room: one of the simulator, or what is simulated of the room's .cu files
#     alone       it is a unit by itself, and no part of its room's
#     program     it is a part of every program, and of no library
#     simcc       it is a part of simcc, too

# The version, for programs, packages and pages alike. The revision is git's, and that of the archive where there is no
# checkout: git archive writes it into .github/REVISION.
VERSION := 0.2.0
REVISION := $(or $(shell { [ -e .git ] && git describe --always --dirty --abbrev=12 --exclude '*'; } 2>/dev/null || \
    sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]*\(-dirty\)\{0,1\}$$/\1\2/p' .github/REVISION 2>/dev/null),unknown)

# Where programs are installed, and under which names; with DEBUG=1 debug information, too, in files beside.
PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
RENAMED ?=
DEBUG ?=

CXX ?= g++
# How far to optimize. OPTIMIZE: options, tables and simcc. KERNEL_HOST: host code around kernels, with references and
# CPU variants, whose loops are as fast as at -O2 once they are vectorized. SIMULATED: simulated kernels. SIMT_OPTIMIZE:
# the simulator. CHECKED: checked kernels, whose time goes into the checkers. (nvcc optimizes GPU kernels fully at any
# host level, unless GPU_OPTIMIZE says otherwise: "-fdevice-syntax-only" makes no code, on machines without a GPU.)
OPTIMIZE ?= -O1
KERNEL_HOST = -O1
SIMULATED = -O2
SIMT_OPTIMIZE = -O2
CHECKED = -O1
GPU_OPTIMIZE ?=

# ---- what is built

# The programs with the most kernel code come first: they take longest to compile.
PROGRAMS := $(shell for tool in $(basename $(notdir $(wildcard tools/*.cu))); do \
    echo "$$(cat kernels/$$tool*.cuh kernels/$$tool/*.cuh kernels/$$tool/*/*.cuh 2>/dev/null | wc -c) $$tool"; done | \
    sort -rn | cut -d ' ' -f 2)
HOST_TOOLS := $(basename $(notdir $(wildcard tools/*.cpp)))
# Those that are programs without kernels. simcc is not among them: it shares less with the others.
HOST_PROGRAMS := $(filter-out simcc,$(HOST_TOOLS))
# build/ has the form of what `make install` installs: bin is a link to build/bin, and programs find the libraries that
# they share, as simcc finds its own, in ../lib/gridutils.
LIB := build/lib/gridutils

all: $(PROGRAMS:%=bin/%) $(HOST_TOOLS:%=bin/%) | without-nvcc
without-nvcc:
	$(if $(NVCC),,@echo "make: no nvcc: the programs are built for the simulator only" \
	    "(README.md, \"On a GPU\", says how to get it)" >&2)

# ---- by which steps: each is described beside what it builds or serves

include common/host.mk               # g++ or clang++ compiles a room, or a program's own files, as one unit
include common/cuda/nvcc.mk          # nvcc compiles kernels for ARCHS
include common/simt/simulator.mk     # the simulator is a library; simcc compiles kernels for it
include tools/programs.mk            # a program's parts, one for each backend, are made and linked
include common/packages/install.mk   # install, uninstall, installcheck, dist, deb, wheel
include tests/setup/targets.mk       # packages that a build needs, lint, headers, syntax, cross builds, long tests
# What the compilers found that an object depends on. (The sanitizers' builds below build/ read their own.)
-include $(shell find build -path 'build/*/build' -prune -o -type f -name '*.d' -print 2>/dev/null)

# ---- the user's commands

# The tour should begin soon: without a GPU it needs no GPU code, its programs are optimized little, and only those that
# count there have a checked simulator. What is built later, by all or test, has everything.
QUICKLY := OPTIMIZE=-O0 SIMULATED=-O0 SIMT_OPTIMIZE=-O0 UNCHECKED='devquery reduce vecadd'
demo: build-packages
	@$(MAKE) --no-print-directory -j$$(nproc) $(QUICKLY) $(if $(NATIVE),,NVCC=) $(addprefix bin/,$(shell bash tests/demo.bash --programs))
	@bash tests/demo.bash

test: test-packages
	@$(MAKE) --no-print-directory -j$$(nproc) all bin/rewrite-test
	@bash tests/run.bash sim
test-gpu: all bin/timing-test
	@bash tests/run.bash gpu

# The standard set.
DEVICE ?= auto
RESULTS ?= build/bench
BENCHED := reduce vecadd matmul transpose transfer streams devquery plot compare
bench: $(BENCHED:%=bin/%)
	@bash tests/measure/bench.bash '$(DEVICE)' '$(RESULTS)' '$(BASE)'

# The model of this machine's GPU, for --predict: make gpu-model >mine.gpu
gpu-model: build/gpu-model
	@build/gpu-model
build/gpu-model: tests/measure/gpu_model.cu
	@[ -n '$(NVCC)' ] || { echo 'make gpu-model needs nvcc: make toolkit fetches one' >&2; exit 1; }
	@mkdir -p build
	@$(NVCC) -std=c++17 -arch=native -o $@ $<

new:
	@bash tests/new/write.bash '$(NAME)'
clean:
	rm -rf bin $(filter-out build/toolkit,$(wildcard build/*))

help:
	@echo "make demo        install missing packages, build some programs, and run them"
	@echo "make test        install missing packages, build, and run all tests in the simulator"
	@echo "make test-gpu    run all tests on the GPU, also under compute-sanitizer"
	@echo "make bench       run the standard set, write build/bench/results.jsonl and report.html; BASE=old.jsonl compares"
	@echo "make gpu-model >mine.gpu    measure this machine's GPU, for --predict mine.gpu (seconds)"
	@echo "make test-aarch64    cross-compile for AArch64 and run all tests under qemu; TESTS=\"vecadd check\" chooses"
	@echo "make fresh       DIST=trixie: make demo and make test in a new, minimal Debian or Ubuntu (needs root, debootstrap)"
	@echo "make all         build bin/: needs g++, libfmt-dev, libcli11-dev, nlohmann-json3-dev, zlib1g-dev; never installs"
	@echo "make new NAME=x  write a small working program, verified and tested, as a start for your own"
	@echo "make toolkit     CUDA=$(CUDA): fetch that nvcc from PyPI into build/toolkit (no root, no driver needed)"
	@echo "make lint        check sources, scripts, man pages and the layout; make format formats the sources"
	@echo "make headers     check that every source and every header compiles by itself"
	@echo "make syntax      CXX=clang++: check that this compiler takes the host's and the simulator's sources, without warnings"
	@echo "make compile_commands    write build/compile_commands.json, for clangd and clang-tidy"
	@echo "make fuzz        SECONDS=60: fuzz every reader for that long; TARGETS=\"npy text\" chooses"
	@echo "make sanitize    build and test with ASan and UBSan, then with TSan; TESTS=\"files tables\" chooses"
	@echo "make install     PREFIX=$(PREFIX) DESTDIR= PROGRAM_PREFIX= DEBUG=     (and uninstall)"
	@echo "make installcheck    run the examples of the installed pages with the installed programs; PREFIX= DESTDIR="
	@echo "make dist deb wheel    a source tarball, Debian packages, a Python wheel: in build/packages"
	@echo "make clean       remove bin/ and build/, but keep the toolkit"
	@echo "ARCHS=\"$(ARCHS)\": GPU architectures to build for, those with ptx as PTX"
	@echo "V=1 shows every command. NVCC=$(or $(NVCC),none found); CXX=$(CXX)"

.PHONY: all without-nvcc demo test test-gpu bench gpu-model new clean help

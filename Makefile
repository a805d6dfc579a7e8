# gridutils: CUDA programs for the shell, on a GPU and in an embedded SIMT simulator.
#
# Every program is one executable made of four parts:
#     build/host    common/*.cpp         options, output, main(): g++
#     build/gpu     tools/NAME.cu        namespace gpu: nvcc (left out where nvcc is missing)
#     build/sim     tools/NAME.cu        namespace sim: bin/simcc, our own compiler driver for the simulator
#     build/simck   tools/NAME.cu        namespace simck: bin/simcc --check, where every load and store reports itself
# A new program needs no line here: tools/NAME.cu is found.

PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
CXX ?= g++
OPTIMIZE ?= -O2

# ---- toolchains

TOOLKIT := build/toolkit/nvidia/cu13
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard $(TOOLKIT)/bin/nvcc))
# The architectures to build GPU code for, as in ARCHS="80 90a": those of this machine's GPUs; without a GPU a portable list.
# "native" needs no nvidia-smi option newer than the driver of CUDA 11.
NATIVE := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | grep -E '^[0-9]+$$' | sort -un | sed 's/^90$$/90a/;s/^100$$/100a/')
KNOWN = $(if $(NVCC),$(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null)))
# (90a rather than 90: Hopper's own instructions need it, and there is no other GPU of that generation.)
ARCHS ?= $(or $(NATIVE),$(patsubst 90,90a,$(filter 75 80 90,$(KNOWN))))
# The newest plain architecture also goes in as PTX, for GPUs that are newer than this build.
PTX_ARCH = $(lastword $(filter-out %a,$(ARCHS)))
comma := ,
gencode = -gencode arch=compute_$(1)$(comma)code=$(2)_$(1)
GENCODE = $(foreach arch,$(ARCHS),$(call gencode,$(arch),sm)) $(if $(PTX_ARCH),$(call gencode,$(PTX_ARCH),compute))

# GCC 12 sees uninitialised members in moved variants where there are none.
WARNINGS := -Wall -Wextra -Wno-maybe-uninitialized
HOST_FLAGS = -std=c++20 $(OPTIMIZE) -g1 $(WARNINGS) -I.
# Unique symbols would stay global when a backend's objects are isolated, below.
NVCC_FLAGS = -std=c++17 -O3 -lineinfo -I. -DBACKEND=gpu $(GENCODE) -Xcompiler "$(WARNINGS) -fno-gnu-unique -g1"
SIM_FLAGS = -std=c++17 -O2 $(WARNINGS) -Xcompiler -fno-gnu-unique
FLAGS_sim = $(SIM_FLAGS) -I. -DBACKEND=sim
# Our programs begin to watch when an option asks for it, not by themselves. --annotate has to find the source from any
# folder: its names are absolute.
FLAGS_simck = $(SIM_FLAGS) -I$(CURDIR) -DBACKEND=simck --check -DSIMT_CHECK_ON_DEMAND
# (Calls at the end of a function stay calls: a backtrace then shows which function of the API it came through.)
SIMT_FLAGS = $(HOST_FLAGS) -fno-optimize-sibling-calls -Icommon/simt/include
# The simulator switches lanes by code of its own on x86-64, by Boost.Context elsewhere.
# libbacktrace, which ships with g++, names file and line in the checkers' reports; it is not on every machine.
BACKTRACE := $(if $(filter /%,$(shell $(CXX) -print-file-name=libbacktrace.a)),-lbacktrace)
LIBRARIES = -lfmt -lpthread -ldl -lrt $(BACKTRACE) $(if $(filter x86_64,$(shell uname -m)),,-lboost_context)
# nvcc knows where its libraries are, also when it is a wrapper script; the runtime is linked statically.
LINK = $(if $(NVCC),$(NVCC) -ccbin $(CXX) -cudart static,$(CXX))

# ---- what there is to build

# The programs with the most kernel code first: they take longest to compile, and should not be waited for at the end.
PROGRAMS := $(shell for tool in $(basename $(notdir $(wildcard tools/*.cu))); do \
    echo "$$(cat kernels/$$tool*.cuh kernels/$$tool/*.cuh kernels/$$tool/*/*.cuh 2>/dev/null | wc -c) $$tool"; done | sort -rn | cut -d ' ' -f 2)
HOST_TOOLS := $(basename $(notdir $(wildcard tools/*.cpp)))
COMMON_HOST := $(patsubst %.cpp,build/host/%.o,$(wildcard common/*.cpp common/io/*.cpp common/cli/*.cpp common/measure/*.cpp))
COMMON_CUDA := $(basename $(wildcard common/*.cu common/cuda/*.cu common/measure/*.cu))
# The simulator's runtime is compiled as two units, its API and its core: most of the time of a file goes into headers that
# the others read, too.
SIMT_API := $(wildcard common/simt/api/*.cpp common/simt/api_*.cpp)
SIMT_CORE := $(filter-out common/simt/simcc_% $(SIMT_API),$(wildcard common/simt/*.cpp common/simt/exec/*.cpp common/simt/runtime/*.cpp))
# The checkers; what starts them is linked only into programs that simcc --check has built.
SIMT_CHECK := $(filter-out %/autostart.cpp,$(wildcard common/simt/check/*.cpp common/simt/check/*/*.cpp))
SIMCC := $(patsubst %.cpp,build/host/%.o,$(wildcard common/simt/simcc_*.cpp common/simt/driver/*.cpp common/simt/rewrite/*.cpp))
BACKENDS := $(if $(NVCC),gpu) sim simck

all: $(PROGRAMS:%=bin/%) $(HOST_TOOLS:%=bin/%) | without-nvcc

without-nvcc:
	$(if $(NVCC),,@echo "make: no nvcc: the programs are built for the simulator only (README.md, \"On a GPU\", says how to get it)" >&2)

help:
	@echo "make demo        install what is missing, build, and show the programs at work"
	@echo "make test        install what is missing, build, and run all tests in the simulator"
	@echo "make test-gpu    run all tests on the GPU, also under compute-sanitizer"
	@echo "make all         build bin/: needs g++, libfmt-dev, libcli11-dev, nlohmann-json3-dev; never installs"
	@echo "make new NAME=x  write a small program that works, verified and tested, to begin one's own from"
	@echo "make toolkit     fetch nvcc from PyPI into build/toolkit (no root, no driver needed)"
	@echo "make lint        check scripts, pages and the layout"
	@echo "make install     PREFIX=$(PREFIX) DESTDIR= PROGRAM_PREFIX=     (and uninstall)"
	@echo "make clean       remove bin/ and build/, but keep the toolkit"
	@echo "ARCHS=\"$(ARCHS)\": GPU architectures to build for; NVCC=$(or $(NVCC),none found); CXX=$(CXX)"

# ---- a changed flag rebuilds what it changes: each stamp is rewritten only when its text differs

define stamp
build/flags-$(1): FORCE
	@mkdir -p build
	@printf '%s\n' '$$(subst ','\'',$(2))' | cmp -s - $$@ || printf '%s\n' '$$(subst ','\'',$(2))' >$$@
endef
$(eval $(call stamp,host,$$(CXX) $$(HOST_FLAGS)))
$(eval $(call stamp,gpu,$$(NVCC) $$(NVCC_FLAGS)))
$(eval $(call stamp,sim,$$(CXX) $$(FLAGS_sim)))
$(eval $(call stamp,simck,$$(CXX) $$(FLAGS_simck)))
$(eval $(call stamp,link,$$(LINK) $$(BACKENDS) $$(LIBRARIES)))
FORCE:

define unit
build/simt-$(1).cpp: FORCE
	@mkdir -p build
	@printf '#include "%s"\n' $(2) | cmp -s - $$@ || printf '#include "%s"\n' $(2) >$$@
endef
$(eval $(call unit,api,$(SIMT_API)))
$(eval $(call unit,core,$(SIMT_CORE)))
$(eval $(call unit,check,$(SIMT_CHECK)))

# ---- objects

build/host/common/simt/%.o: common/simt/%.cpp build/flags-host
	@mkdir -p $(@D)
	$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@

build/simt-%.o: build/simt-%.cpp build/flags-host
	$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@

build/host/%.o: %.cpp build/flags-host
	@mkdir -p $(@D)
	$(CXX) $(HOST_FLAGS) -MMD -MP -c $< -o $@

# Reading options and laying out tables is not where time goes, but their libraries take seconds to optimise.
build/host/common/%options.o build/host/common/%table.o: OPTIMIZE = -O1

# (Kernels wait for simcc, so that from then on the longest compilations of both backends come first.)
build/gpu/%.o: %.cu build/flags-gpu | bin/simcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

define simulated
build/$(1)/%.o: %.cu build/flags-$(1) bin/simcc
	@mkdir -p $$(@D)
	CXX=$$(CXX) bin/simcc $$(FLAGS_$(1)) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
build/$(1)/tools/timing-test.o: tests/timing.cu build/flags-$(1) bin/simcc
	@mkdir -p $$(@D)
	CXX=$$(CXX) bin/simcc $$(FLAGS_$(1)) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
endef
$(eval $(call simulated,sim))
$(eval $(call simulated,simck))

build/libgridutils.a: $(COMMON_HOST)
	@rm -f $@
	$(AR) rcs $@ $^

build/libsimt.a: build/simt-api.o build/simt-core.o build/simt-check.o build/host/common/simt/check/core/autostart.o
	@rm -f $@
	$(AR) rcs $@ $^

# A program's part for one backend exports backend() and nothing else, so that no function, inline or template, of one
# backend can be linked into another. Its name is $(1)::backend() as g++ spells it; $(2) is the length of $(1).
define isolate
build/$(1)/%.o: build/$(1)/tools/%.o $$(COMMON_CUDA:%=build/$(1)/%.o)
	$$(LD) -r --force-group-allocation $$^ -o $$@.all
	objcopy --keep-global-symbol=_ZN$(2)$(1)7backendEv $$@.all $$@
	@rm -f $$@.all
endef
$(eval $(call isolate,gpu,3))
$(eval $(call isolate,sim,3))
$(eval $(call isolate,simck,5))
.SECONDARY:

$(PROGRAMS:%=bin/%): bin/%: $(foreach backend,$(BACKENDS),build/$(backend)/%.o) build/libgridutils.a build/libsimt.a build/flags-link
	@mkdir -p bin
	$(LINK) $(filter-out build/flags-%,$^) $(LIBRARIES) -o $@

bin/simcc: build/host/tools/simcc.o $(SIMCC) | build/libsimt.a
	@mkdir -p bin
	$(CXX) $^ -o $@

# The tests of simcc's rewriter, pass by pass.
bin/rewrite-test: build/host/tests/rewrite/runner.o $(filter build/host/common/simt/rewrite/%,$(SIMCC))
	@mkdir -p bin
	$(CXX) $^ -o $@

# The timing layer's own test: kernels of known duration.
bin/timing-test: $(foreach backend,$(BACKENDS),build/$(backend)/timing-test.o) build/libgridutils.a build/libsimt.a build/flags-link
	@mkdir -p bin
	$(LINK) $(filter-out build/flags-%,$^) $(LIBRARIES) -o $@
build/gpu/tools/timing-test.o: tests/timing.cu build/flags-gpu
	@mkdir -p $(@D)
	$(NVCC) $(NVCC_FLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

-include $(shell find build -name '*.d' 2>/dev/null)

# ---- packages: only what is missing, only through apt-get, and only for demo and test

BUILD_PACKAGES := g++ libfmt-dev libcli11-dev nlohmann-json3-dev $(if $(filter x86_64,$(shell uname -m)),,libboost-context-dev)
TEST_PACKAGES := bats miller datamash jq sqlite3 csvkit mandoc shellcheck

define install_packages
	@missing=; for package in $(1); do \
	    dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q 'install ok installed' || missing="$$missing $$package"; done; \
	[ -z "$$missing" ] && exit 0; \
	command -v apt-get >/dev/null || { echo "make: install these packages first:$$missing" >&2; exit 2; }; \
	[ "$$(id -u)" = 0 ] || { echo "make: missing packages; type: sudo apt-get install$$missing" >&2; exit 2; }; \
	echo "make: installing$$missing"; \
	apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing >/dev/null
endef

build-packages:
	$(call install_packages,$(BUILD_PACKAGES))
test-packages:
	$(call install_packages,$(BUILD_PACKAGES) $(TEST_PACKAGES))

toolkit:
	python3 -m pip install --quiet --target build/toolkit 'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' \
	    'nvidia-nvvm==13.0.*' 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cccl==13.0.*' 'nvidia-nvtx==13.0.*'
	@echo "make: nvcc is $(TOOLKIT)/bin/nvcc; make all uses it from now on"

# ---- the user's commands

demo: build-packages
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@bash tests/demo.bash

test: test-packages
	@$(MAKE) --no-print-directory -j$$(nproc) all bin/rewrite-test
	@bash tests/run.bash sim

test-gpu: all bin/timing-test
	@bash tests/run.bash gpu

new:
	@bash tests/new.bash '$(NAME)'

lint:
	shellcheck -s bash tests/*.bash
	mandoc -T lint -W warning man/*.[17]

PAGES := $(wildcard man/*.1 man/*.7)
INSTALLED := $(PROGRAMS) $(HOST_TOOLS)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/gridutils $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/man/man7 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	for name in $(INSTALLED); do \
	    install -m 755 bin/$$name $(DESTDIR)$(PREFIX)/bin/$(PROGRAM_PREFIX)$$name || exit; \
	    install -m 644 man/$$name.1 $(DESTDIR)$(PREFIX)/share/man/man1/$(PROGRAM_PREFIX)$$name.1 || exit; \
	    [ $$name = simcc ] || sed 's/@NAME@/$(PROGRAM_PREFIX)'$$name'/g' common/cli/completion.bash \
	        >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$(PROGRAM_PREFIX)$$name || exit; \
	done
	install -m 644 man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 build/libsimt.a $(DESTDIR)$(PREFIX)/lib/gridutils
	cp -R common/simt/include $(DESTDIR)$(PREFIX)/lib/gridutils

uninstall:
	for name in $(INSTALLED); do rm -f $(DESTDIR)$(PREFIX)/bin/$(PROGRAM_PREFIX)$$name \
	    $(DESTDIR)$(PREFIX)/share/man/man1/$(PROGRAM_PREFIX)$$name.1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/$(PROGRAM_PREFIX)$$name; done
	rm -rf $(patsubst man/%,$(DESTDIR)$(PREFIX)/share/man/man7/%,$(wildcard man/*.7)) $(DESTDIR)$(PREFIX)/lib/gridutils

clean:
	rm -rf bin build/host build/gpu build/sim build/simck build/flags-* build/simt-* build/*.a

.PHONY: all help without-nvcc build-packages test-packages toolkit demo test test-gpu new lint install uninstall clean FORCE

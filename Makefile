# SPDX-License-Identifier: MIT
# gridutils: CUDA programs for the shell, on a GPU and in an embedded SIMT simulator.
#
# Every program is one executable made of four parts:
#     build/host    common/ROOM/*.cpp    options, output, main(): g++
#     build/gpu     tools/NAME.cu        namespace gpu: nvcc (left out where nvcc is missing)
#     build/sim     tools/NAME.cu        namespace sim: bin/simcc, our own compiler driver for the simulator
#     build/checked tools/NAME.cu        namespace checked: bin/simcc --check, where every load and store is checked
# A program without kernels, tools/NAME.cpp, has only the first part.
# A new file needs no line here: programs, kernels and the files of a room are found. What else make has to know of a
# file is said in the file, in a line `// make: WORD (why)`, its mark:
#     -O3         its own level of optimization: a .cpp file is then a unit by itself; of a .cu file, what is simulated
#     room -O1    the level of its whole room: one of the simulator, or what is simulated of the room's .cu files
#     alone       it is a unit by itself, and no part of its room's
#     program     it is a part of every program, and of no library
#     simcc       it is a part of simcc, too
LEVELS := -O0 -O1 -O2 -O3
MARKS := $(sort $(shell grep -r -s -o '^// make: [a-z]* *[-O0-9]*' common kernels tools | sed 's,// make:,,; s, ,,g'))
marked = $(patsubst %:$(1),%,$(filter %:$(1),$(MARKS)))
UNKNOWN := $(filter-out $(patsubst %,\%:%,alone program simcc $(LEVELS) $(LEVELS:%=room%)),$(MARKS))
$(if $(UNKNOWN),$(error a line "// make:" has a word that the Makefile does not list: $(UNKNOWN)))
# The files like $(1) that are marked with a level, or with $(2) and a level, are compiled at it: the variable $(3) is
# that level for the object $(4), in which FILE and ROOM stand for the file without its extension and its folder's name.
at_levels = $(foreach level,$(LEVELS),$(foreach file,$(filter $(1),$(call marked,$(2)$(level))),$(eval \
    $(subst FILE,$(basename $(file)),$(subst ROOM,$(lastword $(subst /, ,$(dir $(file)))),$(4))): private $(3) = $(level))))

# The version, for programs, packages and pages alike. The revision is git's, and that of the archive where there is no
# checkout: git archive writes it into .github/REVISION.
VERSION := 0.2.0
REVISION := $(or $(shell { [ -e .git ] && git describe --always --dirty --abbrev=12 --exclude '*'; } 2>/dev/null || \
    sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]*\(-dirty\)\{0,1\}$$/\1\2/p' .github/REVISION 2>/dev/null),unknown)

PREFIX ?= /usr/local
DESTDIR ?=
PROGRAM_PREFIX ?=
CXX ?= g++
# How far to optimize. OPTIMIZE: options, tables and simcc. KERNEL_HOST: host code around kernels, with references and
# CPU variants, whose loops are as fast as at -O2 once they are vectorized. SIMULATED: simulated kernels. SIMT_OPTIMIZE:
# the simulator. CHECKED: checked kernels, whose time goes into the checkers. (nvcc optimizes GPU kernels fully at any
# host level, unless GPU_OPTIMIZE says otherwise: "-Ofc max" compiles faster, for machines without a GPU.)
OPTIMIZE ?= -O1
KERNEL_HOST = -O1
SIMULATED = -O2
SIMT_OPTIMIZE = -O2
CHECKED = -O1
GPU_OPTIMIZE ?=

# ---- toolchains

TOOLKIT := build/toolkit/nvidia/cu13
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard $(TOOLKIT)/bin/nvcc))
# The architectures to build GPU code for, as in ARCHS="80 90a"; by default those of this machine's GPUs. The newest
# plain one is also included as PTX, for GPUs newer than this build; a word such as ptx75 asks for that PTX instead.
# Without a GPU the default is Hopper, the only generation with kernels of its own here, and PTX of the oldest
# architecture that both nvcc and the programs support, which every GPU since then compiles at the first start. (90a
# rather than 90: Hopper's own instructions need it, and that generation has no other GPUs.)
NATIVE := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | \
    grep -E '^[0-9]+$$' | sort -un | sed 's/^90$$/90a/;s/^100$$/100a/')
KNOWN = $(if $(NVCC),$(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null)))
ARCHS ?= $(or $(NATIVE),$(addprefix ptx,$(firstword $(filter 75 80,$(KNOWN)))) $(patsubst 90,90a,$(filter 90,$(KNOWN))))
PTX = $(or $(patsubst ptx%,%,$(filter ptx%,$(ARCHS))),$(lastword $(filter-out %a,$(ARCHS))))
comma := ,
gencode = -gencode arch=compute_$(1)$(comma)code=$(2)_$(1)
GENCODE = $(foreach arch,$(filter-out ptx%,$(ARCHS)),$(call gencode,$(arch),sm)) \
    $(foreach arch,$(PTX),$(call gencode,$(arch),compute))
# Where the toolkit's own libraries are: nvcc says it, even when it is a wrapper script.
CUDA_LIBRARIES := $(if $(NVCC),$(shell $(NVCC) --dryrun -x cu /dev/null -o x 2>&1 | tr ' ' '\n' | tr -d '"' | sed -n 's/^-L//p' | grep -v stubs))

# What differs between compilers, all in one place. g++ 12 reports uninitialized members in moved variants where there
# are none. It starts to collect garbage at 512 MiB, not at 128: few units get there, and it takes up to a tenth of their
# time. It gives variables of templates unique symbols, which would stay global when a backend's objects are isolated,
# below, and vectorizes loops below -O2 only if told so. clang++ has none of this. It cannot compile checked kernels
# either, since simcc --check needs the instrumentation of g++: CHECKED_CXX is empty where there is no g++, or where the
# standard library is another, libc++, for which no system builds libfmt either.
CLANG := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
LIBCXX := $(filter -stdlib=libc++,$(CXX))
GCC_WARNINGS := -Wno-maybe-uninitialized
GCC_HEAP := --param=ggc-min-heapsize=524288
GCC_SYMBOLS := -fno-gnu-unique
GCC_LOOPS := -ftree-loop-vectorize
CHECKED_CXX := $(if $(CLANG),$(if $(LIBCXX),,$(shell command -v g++ >/dev/null && echo g++)),$(CXX))
of_gcc = $(if $(CLANG),,$(GCC_$(1)))
WARNINGS := -Wall -Wextra $(call of_gcc,WARNINGS)
# (A section per function and variable: a test that links a room for one of its files drops the others.)
HOST_FLAGS = -std=c++20 $(OPTIMIZE) -g1 $(WARNINGS) $(call of_gcc,HEAP) -fPIC -fvisibility-inlines-hidden -ffunction-sections \
    -fdata-sections -I. $(LIBCXX:%=-DFMT_HEADER_ONLY)
# (To clang++, the headers of CUDA that nvcc hands it are not a system's, so it would report what we do not use of them.)
HOST_OF_KERNELS := -Xcompiler "$(WARNINGS) $(if $(CLANG),-Wno-unused-function) $(call of_gcc,LOOPS) $(call of_gcc,SYMBOLS) -g1 $(call of_gcc,HEAP)"
# Where nvcc can, it compiles the kernels of a unit side by side, on 16 cores those of bf16 in 38 s instead of 111, and
# compresses their code well: that of vecadd to 28 KB instead of 384.
NVCC_HELP := $(if $(NVCC),$(shell $(NVCC) --help 2>/dev/null | grep -o -e -split-compile -e -compress-mode | sort -u))
NVCC_OPTIONS := $(patsubst -split-compile,-split-compile=0,$(NVCC_HELP:-compress-mode=-compress-mode=size))
# Lines of GPU code, for profilers and compute-sanitizer. They are three fifths of the compressed code, so the units with
# the most of it have them only on request: make HOPPER_LINES=-lineinfo.
GPU_LINES = -lineinfo
HOPPER_LINES ?=
NVCC_FLAGS = -std=c++17 $(NVCC_OPTIONS) $(KERNEL_HOST)$(if $(GPU_OPTIMIZE), $(GPU_OPTIMIZE)) -ccbin $(CXX) $(GPU_LINES) \
    -I. -DBACKEND=gpu $(GENCODE) $(HOST_OF_KERNELS)
FLAGS_sim = -std=c++17 $(WARNINGS) $(addprefix -Xcompiler ,$(call of_gcc,SYMBOLS) $(call of_gcc,HEAP)) $(SIMULATED) -I. \
    -DBACKEND=sim
# Our programs check only when an option asks for it. --annotate must find the source from any folder, so file names are
# absolute.
FLAGS_checked = -std=c++17 -Wall -Wextra $(GCC_WARNINGS) -Xcompiler $(GCC_SYMBOLS),$(GCC_HEAP) $(CHECKED) -I$(CURDIR) \
    -DBACKEND=checked --check -DSIMT_CHECK_ON_DEMAND
# (No tail calls, so that a backtrace shows which function of the API it came through.)
SIMT_FLAGS = -std=c++20 $(SIMT_OPTIMIZE) -g1 $(WARNINGS) $(call of_gcc,HEAP) -fPIC -fno-semantic-interposition \
    -ftls-model=initial-exec -I. -fno-optimize-sibling-calls \
    -Icommon/simt/include $(if $(CLANG),$(BACKTRACE_IN:%=-idirafter %include))
# The simulator switches lanes with its own code on x86-64 and AArch64, with Boost.Context elsewhere.
BOOST := $(if $(filter x86_64-% aarch64-%,$(shell $(CXX) -dumpmachine 2>/dev/null || uname -m)-),,boost)
# libbacktrace, which ships with g++, names file and line in the checkers' reports; it is not on every machine. (clang++
# finds the library, but not its header, which is among g++'s own.)
BACKTRACE_IN := $(dir $(filter /%,$(shell $(CXX) -print-file-name=libbacktrace.a 2>/dev/null)))
BACKTRACE := $(if $(BACKTRACE_IN),-lbacktrace)
# FMT=-l:libfmt.a links {fmt} into the programs, for packages that are installed on other releases of a system.
FMT ?= $(if $(LIBCXX),,-lfmt)
LIBRARIES = $(FMT) -lz -lpthread -ldl -lrt $(BACKTRACE) $(BOOST:%=-l%_context)

# ---- what there is to build

# Kernels that launch kernels are in a unit of their own, tools/NAME/device_launches.cu: nvcc compiles it as relocatable
# device code and links it with the device runtime, which leaves all other kernels as they are.
LAUNCHING := $(patsubst tools/%/device_launches.cu,%,$(wildcard tools/*/device_launches.cu))

# The programs with the most kernel code come first: they take longest to compile.
PROGRAMS := $(shell for tool in $(basename $(notdir $(wildcard tools/*.cu))); do \
    echo "$$(cat kernels/$$tool*.cuh kernels/$$tool/*.cuh kernels/$$tool/*/*.cuh 2>/dev/null | wc -c) $$tool"; done | \
    sort -rn | cut -d ' ' -f 2)
HOST_TOOLS := $(basename $(notdir $(wildcard tools/*.cpp)))
# Those that are programs without kernels. simcc is not among them: it shares less with the others.
HOST_PROGRAMS := $(filter-out simcc,$(HOST_TOOLS))
# A room, and the host files of a program, are compiled as one unit: most of a file's time goes into templates that the
# others instantiate, too. build/host/common/io.cpp includes common/io/*.cpp.
# Left out are the files whose marks say so.
ALONE := $(filter-out common/simt/%,$(filter %.cpp,$(foreach word,alone $(LEVELS),$(call marked,$(word)))))
OF_PROGRAM := $(filter-out common/simt/%,$(call marked,program))
HOST_ROOMS := common/io common/cli common/measure common/gang common/simt/driver common/simt/rewrite
room_files = $(filter-out $(ALONE) $(OF_PROGRAM),$(wildcard $(1)/*.cpp))
object = $(patsubst %.cpp,build/host/%.o,$(1))
COMMON_HOST := $(addprefix build/host/common/,io.o cli.o measure.o gang.o) \
    $(call object,$(filter common/%,$(ALONE)))
# The host files of the program $(1), and their objects.
own_files = $(strip $(call room_files,tools/$(1)))
own_objects = $(if $(call own_files,$(1)),build/host/tools/$(1)/own.o) $(call object,$(filter tools/$(1)/%,$(ALONE)))
OWN := $(foreach tool,$(PROGRAMS) $(HOST_PROGRAMS),$(if $(call own_files,$(tool)),$(tool)/own))
COMMON_CUDA := $(wildcard common/cuda/*.cu common/measure/*.cu)
# Gangs are another unit, for the programs that have them.
WITH_GANGS := $(shell grep -l -r 'include "common/gang/.*\.cuh"' tools | sed 's,^tools/\([^/.]*\).*,\1,' | sort -u)
# Each room of the simulator is a unit, too. All are in libsimt.so, which our programs share, and members of libsimt.a,
# from which simcc links other people's programs: the other rooms do not refer to the checkers, so only programs with
# checked kernels contain those. OF_SIMULATED are part of every program; only programs that simcc --check
# has built have what starts the checkers by itself.
SIMT_ROOMS := exec runtime api nccl check
AUTOSTART := $(basename $(filter common/simt/%,$(call marked,alone)))
OF_SIMULATED := $(basename $(filter common/simt/%,$(call marked,program)))
SIMT_FILES = $(filter-out $(addsuffix .cpp,$(AUTOSTART) $(OF_SIMULATED)),$(wildcard common/simt/$(1)/*.cpp common/simt/$(1)/*/*.cpp))
# (Its version is added when it is linked: what it compiles does not depend on that.)
SIMCC := $(addprefix build/host/,tools/simcc.o common/simt/driver.o common/simt/rewrite.o)
# simcc puts these first in the include path as system headers, which the compiler does not list as dependencies.
SIMT_HEADERS := $(shell find common/simt/include -type f)
BACKENDS := $(if $(NVCC),gpu) sim $(if $(CHECKED_CXX),checked)
# build/ has the form of what `make install` installs: bin is a link to build/bin, and programs find the libraries that
# they share, as simcc finds its own, in ../lib/gridutils.
LIB := build/lib/gridutils
SHARED := $(LIB)/libgridutils.so $(LIB)/libsimt.so $(if $(NVCC),$(LIB)/libcudart.so)
RUNPATH := -Wl,-rpath,'$$ORIGIN/../lib/gridutils'

all: $(PROGRAMS:%=bin/%) $(HOST_TOOLS:%=bin/%) | without-nvcc

without-nvcc:
	$(if $(NVCC),,@echo "make: no nvcc: the programs are built for the simulator only" \
	    "(README.md, \"On a GPU\", says how to get it)" >&2)

help:
	@echo "make demo        install missing packages, build some programs, and run them"
	@echo "make test        install missing packages, build, and run all tests in the simulator"
	@echo "make test-gpu    run all tests on the GPU, also under compute-sanitizer"
	@echo "make bench       run the standard set, write build/bench/results.jsonl and report.html; BASE=old.jsonl compares"
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

# Says what a rule makes, and with what, in place of its command: $(call say,g++)command.
say = $(if $(V),,@printf '%-12s %s\n' '$(1)' '$(or $(2),$@)';)

# ---- a changed flag rebuilds what depends on it: each stamp is rewritten only when its text differs

define stamp
build/flags-$(1): FORCE
	@mkdir -p build
	@printf '%s\n' '$$(subst ','\'',$(2))' | cmp -s - $$@ || printf '%s\n' '$$(subst ','\'',$(2))' >$$@
endef
$(eval $(call stamp,host,$$(CXX) $$(HOST_FLAGS)))
$(eval $(call stamp,gpu,$$(NVCC) $$(NVCC_FLAGS) $$(HOPPER_LINES)))
$(eval $(call stamp,sim,$$(CXX) $$(FLAGS_sim)))
$(eval $(call stamp,checked,$$(CHECKED_CXX) $$(FLAGS_checked)))
$(eval $(call stamp,simt,$$(CXX) $$(SIMT_FLAGS)))
$(eval $(call stamp,link,$$(CXX) $$(BACKENDS) $$(UNCHECKED:%=-%) $$(LIBRARIES)))
FORCE:

# build/$(1) includes the files $(2), so adding or removing one compiles it anew.
define unit
build/$(1): FORCE
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $(2) | cmp -s - $$@ || printf '#include "%s"\n' $(2) >$$@
endef
$(foreach room,$(HOST_ROOMS),$(eval $(call unit,host/$(room).cpp,$(call room_files,$(room)))))
$(foreach own,$(OWN),$(eval $(call unit,host/tools/$(own).cpp,$(call own_files,$(own:/own=)))))
$(eval $(call unit,host/tools/simcc.cpp,tools/simcc.cpp $(call marked,simcc)))
$(foreach room,$(SIMT_ROOMS),$(eval $(call unit,simt-$(room).cpp,$(call SIMT_FILES,$(room)))))
$(eval $(call unit,cuda.cu,$(COMMON_CUDA)))
$(eval $(call unit,gang.cu,$(wildcard common/gang/*.cu)))

# ---- objects

$(patsubst %,build/host/%.o,$(HOST_ROOMS) $(addprefix tools/,$(OWN) simcc)): build/host/%.o: build/host/%.cpp build/flags-host
	$(call say,$(CXX),$(patsubst build/host/%.cpp,%,$(<:/own.cpp=.cpp)))$(CXX) $(HOST_FLAGS) -MMD -MP -c $< -o $@
build/host/%.o: %.cpp build/flags-host
	@mkdir -p $(@D)
	$(call say,$(CXX),$<)$(CXX) $(HOST_FLAGS) -MMD -MP -c $< -o $@
$(call at_levels,%.cpp,,OPTIMIZE,build/host/FILE.o)

# memcheckdemo prints the sources of its plants, so it contains them as strings.
build/plants.inc: $(wildcard kernels/memcheckdemo/*.cuh kernels/memcheckdemo/*/*.cuh)
	@mkdir -p build
	@for file in $^; do printf '{"%s", R"PLANT(' "$$file" && cat "$$file" && printf ')PLANT"},\n' || exit; done >$@
build/host/tools/memcheckdemo/own.o build/alone/tools/memcheckdemo/sources.cpp.ok: build/plants.inc
# Each plant's head is its row of the table.
build/plant_table.inc: tools/memcheckdemo/plants.awk $(sort $(wildcard kernels/memcheckdemo/*/*.cuh)) FORCE
	@mkdir -p build
	@awk -f $(filter-out FORCE,$^) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BACKENDS:%=build/%/tools/memcheckdemo.o) $(patsubst %,build/alone/%.ok,$(wildcard kernels/memcheckdemo/plants.cuh \
    tools/memcheckdemo/*.cuh)): build/plant_table.inc

# Only version.cpp includes this file, which is written when the version or the revision has changed.
version_header = printf '\#define GRIDUTILS_%s\n' 'VERSION "$(VERSION)"' 'REVISION "$(REVISION)"'
build/version.hpp: FORCE
	@mkdir -p build
	@$(version_header) | cmp -s - $@ || $(version_header) >$@
build/host/common/measure/version.o build/alone/common/measure/version.cpp.ok: build/version.hpp

# gridutils lists the programs with the lines that describe them in their pages.
build/summaries.inc: $(wildcard man/*.1)
	@mkdir -p build
	@for name in $(sort $(filter-out gridutils,$(PROGRAMS) $(HOST_TOOLS))); do \
	    sed -n 's/^\.Nd \(.*\)/{"'$$name'", "\1"},/p' man/$$name.1 || exit; done >$@
build/host/tools/gridutils.o build/alone/tools/gridutils.cpp.ok: build/summaries.inc

# A program that compiles kernels at run time contains their text: build/text/FILE.inc is FILE as a string.
texts_of = $(sort $(shell sed -n 's,^.include "\(build/text/.*\.inc\)"$$,\1,p' $(1) /dev/null))
$(foreach own,$(OWN),$(eval build/host/tools/$(own).o: | $(call texts_of,$(wildcard $(own:%/own=tools/%/*.cpp)))))
build/text/%.inc: %
	@mkdir -p $(@D)
	@{ printf 'R"TEXT(' && cat $< && printf ')TEXT"\n'; } >$@
$(patsubst %,build/alone/%.ok,$(wildcard tools/*/*.cpp)): | $(call texts_of,$(wildcard tools/*/*.cpp))

$(call at_levels,%.cpp,room,SIMT_OPTIMIZE,build/simt-ROOM.o)

build/simt-%.o: build/simt-%.cpp build/flags-simt
	$(call say,$(CXX),common/simt/$*)$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@
build/simt/%.o: common/simt/%.cpp build/flags-simt
	@mkdir -p $(@D)
	$(call say,$(CXX),$<)$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@

# A program's part for one backend exports backend() and nothing else, so that no function, inline or template, of one
# backend can be linked into another. Its name is $(1)::backend() as g++ mangles it; $(2) is the length of $(1). Code
# that all programs share is one unit, cuda.cu, and that of gangs another. $(3) are prerequisites of all these, $(4)
# is the compiler, $(5) what to call it.
define backend
build/$(1)/%.o: %.cu build/flags-$(1) $(3)
	@mkdir -p $$(@D)
	$$(call say,$(5),$$<)$(4) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
build/$(1)/%-unit.o: build/%.cu build/flags-$(1) $(3)
	@mkdir -p $$(@D)
	$$(call say,$(5),common/$$*)$(4) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
build/$(1)/tools/timing-test.o: tests/units/timing.cu build/flags-$(1) $(3)
	@mkdir -p $$(@D)
	$$(call say,$(5),$$<)$(4) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@
build/$(1)/%.isolated.o: build/$(1)/tools/%.o build/$(1)/cuda-unit.o
	@$$(LD) -r --force-group-allocation $$^ -o $$@.all
	@objcopy --wildcard --keep-global-symbol=_ZN$(2)$(1)7backendEv \
	    --keep-global-symbol='__*_cuda_device_runtime_*' $$@.all $$@
	@rm -f $$@.all
$(WITH_GANGS:%=build/$(1)/%.isolated.o): build/$(1)/gang-unit.o
endef
# So that one type's kernels are compiled beside another's, tools/NAME/hopper/*.cu are units of their own for nvcc.
FOR_HOPPER := $(wildcard tools/*/hopper/*.cu)
$(FOR_HOPPER:%.cu=build/gpu/%.o): private GPU_LINES = $(HOPPER_LINES)
$(foreach unit,$(FOR_HOPPER:.cu=),$(eval build/gpu/$(word 2,$(subst /, ,$(unit))).isolated.o: build/gpu/$(unit).o))
# A program's device_launches.cu becomes part of it. PTX cannot be linked: where ARCHS names some, for GPUs that are not
# known yet, this unit has machine code for all generations instead.
launching = build/$(1)/%.isolated.o: build/$(1)/tools/%/device_launches$(2).o
$(foreach backend,$(BACKENDS),$(eval $(LAUNCHING:%=build/$(backend)/%.isolated.o): $(call launching,$(backend))))
ifneq ($(and $(NVCC),$(LAUNCHING)),)
$(LAUNCHING:%=build/gpu/%.isolated.o): $(call launching,gpu,-linked)
build/gpu/%/device_launches.o build/gpu/%/device_launches-linked.o: private NVCC_FLAGS += -rdc=true \
    $(if $(filter ptx%,$(ARCHS)),$(foreach arch,$(filter 75 80 100 120,$(KNOWN)),$(call gencode,$(arch),sm)))
build/gpu/%/device_launches-linked.o: build/gpu/%/device_launches.o
	$(call say,nvcc -dlink)$(NVCC) $(NVCC_FLAGS) -dlink $< -lcudadevrt -o $@
endif

simulate = CXX="$$($(if $(filter checked,$(1)),CHECKED_)CXX)" bin/simcc $$(FLAGS_$(1))
# (nvcc waits for simcc, so that the longest compilations of both backends then come first.)
$(eval $(call backend,gpu,3,| build/bin/simcc,$$(NVCC) $$(NVCC_FLAGS),nvcc))
$(eval $(call backend,sim,3,$$(SIMCC) $$(SIMT_HEADERS) | build/bin/simcc,$(call simulate,sim),simcc))
$(eval $(call backend,checked,7,$$(SIMCC) $$(SIMT_HEADERS) | build/bin/simcc,$(call simulate,checked),simcc -G))
.SECONDARY:

$(call at_levels,%.cu,,SIMULATED,build/sim/FILE.o)
$(call at_levels,%.cu,room,SIMULATED,build/sim/ROOM-unit.o)

# Missing headers are reported once, before the compiler does so file by file.
packages = @CXX='$(CXX)' sh tests/setup/packages.sh $(1) $(BOOST)
with-headers:
	$(call packages,build)
$(COMMON_HOST): | with-headers

# ---- libraries and programs

# The tests of single parts link this one.
build/libgridutils.a: $(COMMON_HOST) $(call object,$(OF_PROGRAM))
	@rm -f $@
	@$(AR) rcs $@ $^

# (Symbols are bound at the start: a lane's stack is too small for the dynamic linker.)
share = $(CXX) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -Wl,-Bsymbolic,--as-needed,--gc-sections,-z,now
$(LIB)/libgridutils.so: $(COMMON_HOST) $(LIB)/libsimt.so build/flags-link
	$(call say,link)$(share) $(filter %.o %.so,$^) $(LIBRARIES) -o $@
$(LIB)/libsimt.so: $(SIMT_ROOMS:%=build/simt-%.o) build/flags-link
	@mkdir -p $(@D)
	$(call say,link)$(share) $(filter %.o,$^) $(LIBRARIES) -o $@

$(LIB)/libsimt.a: $(SIMT_ROOMS:%=build/simt-%.o) $(patsubst common/%,build/%.o,$(AUTOSTART) $(OF_SIMULATED))
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) rcs $@ $^
$(LIB)/include:
	@mkdir -p $(@D) && ln -sfn ../../../common/simt/include $@

# The CUDA runtime, as all programs share it.
$(LIB)/libcudart.so:
	@mkdir -p $(@D)
	@for folder in $(CUDA_LIBRARIES) $$(dirname "$$($(CXX) -print-file-name=libcudart.so)"); do \
	    for file in "$$folder"/libcudart.so.[0-9]*; do \
	        name=$$(readelf -d "$$file" 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'); \
	        [ -n "$$name" ] && cp -L "$$file" $(@D)/"$$name" && ln -sf "$$name" $@ && exit; done; done; \
	echo "make: libcudart.so is neither in $(CUDA_LIBRARIES) nor in the system's folders; install the CUDA runtime" >&2; exit 1

# (An older build has a folder of that name.)
bin: FORCE
	@mkdir -p build/bin && { [ -L $@ ] || { rm -rf $@ && ln -s build/bin $@; }; }

# timing-test is the timing layer's own test, with kernels of known duration.
backends_of = $(foreach backend,$(filter-out $(if $(filter $(1),$(UNCHECKED)),checked),$(BACKENDS)),build/$(backend)/$(1).isolated.o)
$(foreach program,$(PROGRAMS) timing-test,$(eval bin/$(program): $(call backends_of,$(program)) $(call own_objects,$(program))))
$(PROGRAMS:%=bin/%) bin/timing-test: bin/%: \
        $(call object,$(OF_PROGRAM)) $(OF_SIMULATED:common/%=build/%.o) $(SHARED) build/flags-link | bin
	$(call say,link)$(CXX) $(RUNPATH) -Wl,-z,now $(filter %.o,$^) $(SHARED) \
	    $(if $(NVCC),$(addsuffix /libcudadevrt.a,$(firstword $(dir $(wildcard $(CUDA_LIBRARIES:%=%/libcudadevrt.a)))))) $(LIBRARIES) -o $@

# (These need neither a backend nor the simulator, so they have no use for a library that refers to both.)
$(foreach program,$(HOST_PROGRAMS),$(eval bin/$(program): $(call own_objects,$(program))))
$(HOST_PROGRAMS:%=bin/%): bin/%: build/host/tools/%.o build/libgridutils.a build/flags-link | bin
	$(call say,link)$(CXX) $(RUNPATH) -Wl,--gc-sections $(filter %.o,$^) build/libgridutils.a $(FMT) -lz -lpthread -o $@

# (Kernels are compiled by it long before the library is there with which it links other people's.)
build/bin/simcc: $(SIMCC) build/host/common/measure/version.o | bin $(LIB)/include
	$(call say,link)$(CXX) $^ -lpthread -o $@
bin/simcc: build/bin/simcc $(LIB)/libsimt.a ;

# The tests of simcc's rewriter, pass by pass.
bin/rewrite-test: build/host/tests/rewrite/runner.o build/host/common/simt/rewrite.o | bin
	$(call say,link)$(CXX) $^ -o $@

# ---- every source and every header compiles by itself, whatever is included ahead of it elsewhere

# (A header is compiled with its source, which includes it first, as `make lint` requires. Left out are the parts of
# simcc's headers: programs include headers by CUDA's names, and those include the parts in order. Code that only nvcc
# can compile is left out, too.)
SOURCES_AND_HEADERS := $(shell find common kernels tools \( -name '*.[ch]pp' -o -name '*.cuh' \) -not -path 'common/simt/include/*' \
    -not -path '*hopper*' -not -name 'cub*.cuh' -not -name bulk_copy.cuh -not -name wmma.cuh)
BY_THEMSELVES := $(filter-out $(patsubst %.cpp,%.hpp,$(filter %.cpp,$(SOURCES_AND_HEADERS))),$(SOURCES_AND_HEADERS))

headers: $(BY_THEMSELVES:%=build/alone/%.ok)
# The headers that every program may use. There are few enough of them to compile each time.
shared-headers: $(patsubst %,build/alone/%.ok,$(filter-out common/simt/%,$(filter common/%,$(BY_THEMSELVES))))

alone = -include $< -MMD -MP -MF $(@:.ok=.d) -MT $@
build/alone/common/simt/%.ok: common/simt/% build/flags-simt
	@mkdir -p $(@D)
	$(CXX) $(SIMT_FLAGS) -fsyntax-only -x c++ $(alone) /dev/null
	@touch $@
build/alone/%.cuh.ok: %.cuh $(SIMCC) build/flags-sim | build/bin/simcc
	@mkdir -p $(@D)
	@echo '#include "$<"' >$(@:.ok=.cu)
	CXX="$(CXX)" bin/simcc $(FLAGS_sim) -w -Xcompiler -fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ -c $(@:.ok=.cu) -o $@
	@touch $@
build/alone/%.ok: % build/flags-host
	@mkdir -p $(@D)
	$(CXX) $(HOST_FLAGS) -fsyntax-only -x c++ $(alone) /dev/null
	@touch $@

# ---- what another compiler says, as quickly as it can be asked: make syntax CXX=clang++

UNITS = $(addprefix build/host/,$(addsuffix .cpp,$(HOST_ROOMS) $(addprefix tools/,$(OWN) simcc))) $(SIMT_ROOMS:%=build/simt-%.cpp)
HOST_UNITS = $(filter build/host/%,$(UNITS)) $(filter-out %/version.cpp,$(ALONE)) $(OF_PROGRAM) $(HOST_PROGRAMS:%=tools/%.cpp)
SIMT_UNITS = $(filter build/simt-%,$(UNITS)) $(addsuffix .cpp,$(AUTOSTART) $(OF_SIMULATED))
syntax: compiler-packages
	@$(MAKE) --no-print-directory syntax-of-units
syntax-of-units: $(UNITS) $(call texts_of,$(wildcard tools/*/*.cpp)) build/plants.inc build/summaries.inc
	@{ printf '%s\n' $(HOST_UNITS) | sed 's|^|$(HOST_FLAGS) |'; printf '%s\n' $(SIMT_UNITS) | sed 's|^|$(SIMT_FLAGS) |'; } | \
	    xargs -P $$(nproc) -L 1 $(CXX) -fsyntax-only -Werror
	@echo "make: $(CXX) takes all $(words $(HOST_UNITS) $(SIMT_UNITS)) units"

# ---- for clangd and clang-tidy: every file's command, as make would run it

# (clang reads CUDA by itself; simcc's and nvcc's own flags are left out.)
# (tests/new holds templates, which are not yet sources.)
FORMATTED := $(shell find common kernels tools tests -path tests/new -prune -o \
    \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print)
compile_commands:
	@mkdir -p build
	@{ printf '%s\n' $(filter-out common/simt/%,$(filter %.cpp,$(FORMATTED))) | sed 's|.*|& -x c++ $(HOST_FLAGS)|'; \
	    printf '%s\n' $(filter common/simt/%,$(filter %.cpp,$(FORMATTED))) | sed 's|.*|& -x c++ $(SIMT_FLAGS)|'; \
	    printf '%s\n' $(filter %.cu,$(FORMATTED)) | sed 's|.*|& -x cuda -nocudalib -std=c++17 -I. -DBACKEND=gpu|'; } | \
	awk -v folder='$(CURDIR)' 'BEGIN { print "[" } \
	    { file = $$1; sub(/^[^ ]+ /, ""); \
	      printf "%s{\"directory\": \"%s\", \"file\": \"%s\", ", separator, folder, file; \
	      printf "\"command\": \"clang++ %s -c %s\"}", $$0, file; \
	      separator = ",\n" } \
	    END { print "\n]" }' >build/compile_commands.json

# (The sanitizers' builds below build/ read their own.)
-include $(shell find build -path 'build/*/build' -prune -o -type f -name '*.d' -print 2>/dev/null)

# ---- packages: only what is missing, only through apt-get, and only for demo and test

build-packages:
	$(call packages,--install build)
test-packages:
	$(call packages,--install build test)
cross-packages:
	$(call packages,--install build test cross)
compiler-packages:
	$(call packages,--install build $(if $(filter clang++,$(CXX)),clang))

# (NVIDIA's own list of what belongs to a release: its parts have versions of their own.)
CUDA = 13.0
toolkit:
	python3 -m pip install --quiet --upgrade --target build/toolkit 'cuda-toolkit[nvcc,cccl,nvrtc,nvtx]==$(CUDA).*'
	@echo "make: nvcc is $(TOOLKIT)/bin/nvcc; make all uses it from now on"

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

# The standard set.
DEVICE ?= auto
RESULTS ?= build/bench
BENCHED := reduce vecadd matmul transpose transfer streams devquery plot compare
bench: $(BENCHED:%=bin/%)
	@bash tests/measure/bench.bash '$(DEVICE)' '$(RESULTS)' '$(BASE)'

test-gpu: all bin/timing-test
	@bash tests/run.bash gpu

test-aarch64: cross-packages
	@bash tests/long/aarch64.bash $(TESTS)

# Both of the README's commands in a new, minimal system.
fresh:
	@DIST='$(DIST)' bash tests/long/fresh.bash

new:
	@bash tests/new/write.bash '$(NAME)'

format:
	clang-format -i $(FORMATTED)

# Checks that need no build: the format of all sources, scripts and pages, and which room includes which.
lint: test-packages
	@bash tests/lint.bash $(FORMATTED)

PAGES := $(wildcard man/*.1 man/*.7)
INSTALLED := $(PROGRAMS) $(HOST_TOOLS)

# What each program is called where it is installed: PROGRAM_PREFIX and its name, or gridutils-NAME if that is another
# program's, as compare (ImageMagick) and plot (plotutils) are, or if RENAMED lists it. The lines "NAME INSTALLED".
RENAMED ?=
names = DESTDIR='$(DESTDIR)' PROGRAM_PREFIX='$(PROGRAM_PREFIX)' RENAMED='$(RENAMED)' \
    bash common/packages/names.bash '$(DESTDIR)$(PREFIX)/bin' $(INSTALLED)
SHARE = $(DESTDIR)$(PREFIX)/share
# Where each shell looks for the completions of the program $(1).
COMPLETION_bash = $(SHARE)/bash-completion/completions/$(1)
COMPLETION_zsh = $(SHARE)/zsh/site-functions/_$(1)
COMPLETION_fish = $(SHARE)/fish/vendor_completions.d/$(1).fish

# DEBUG=1 installs the debug information, too, in files beside.
DEBUG ?=
put = bash common/packages/put.bash
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/gridutils $(SHARE)/man/man1 $(SHARE)/man/man7 \
	    $(dir $(call COMPLETION_bash,x) $(call COMPLETION_zsh,x) $(call COMPLETION_fish,x))
	@$(names) >build/names
	while read -r name installed; do \
	    $(put) bin/$$name $(DESTDIR)$(PREFIX)/bin/$$installed $(DEBUG) || exit; \
	    bash common/packages/page.bash man/$$name.1 <build/names >$(SHARE)/man/man1/$$installed.1 || exit; \
	    sed "s/@NAME@/$$installed/g" common/cli/completion.bash >$(call COMPLETION_bash,$$installed) || exit; \
	    sed "s/@NAME@/$$installed/g" common/cli/completion.zsh >$(call COMPLETION_zsh,$$installed) || exit; \
	    sed "s/@NAME@/$$installed/g" common/cli/completion.fish >$(call COMPLETION_fish,$$installed) || exit; \
	done <build/names
	for page in $(notdir $(wildcard man/*.7)); do \
	    bash common/packages/page.bash man/$$page <build/names >$(SHARE)/man/man7/$$page || exit; done
	for library in $(LIB)/lib*.*; do [ -L $$library ] || \
	    $(put) $$library $(DESTDIR)$(PREFIX)/lib/gridutils/$${library##*/} $(DEBUG) || exit; done
	cp -R common/simt/include $(DESTDIR)$(PREFIX)/lib/gridutils

# (A program of a stranger was there before, too, so its name is not among these.)
uninstall:
	@$(names) >build/names
	while read -r name installed; do for one in $$installed gridutils-$$name; do rm -f $(DESTDIR)$(PREFIX)/bin/$$one \
	    $(DESTDIR)$(PREFIX)/bin/.debug/$$one.debug $(SHARE)/man/man1/$$one.1 $(call COMPLETION_bash,$$one) $(call COMPLETION_zsh,$$one) $(call COMPLETION_fish,$$one); \
	    done; done <build/names
	rm -rf $(patsubst man/%,$(SHARE)/man/man7/%,$(wildcard man/*.7)) $(DESTDIR)$(PREFIX)/lib/gridutils
	@[ ! -d $(DESTDIR)$(PREFIX)/bin/.debug ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/bin/.debug

# Runs the examples of the installed pages with the installed programs: in /usr, a venv or below DESTDIR.
installcheck:
	@bash common/packages/examples.bash --installed $(DESTDIR)$(PREFIX)

# ---- packages: see common/packages

PACKAGES := build/packages
# Packages are what make install makes, apart from the two names.
IMAGE := $(PACKAGES)/image
GPU_CODE = $(if $(NVCC),$(ARCHS))
image: all
	@rm -rf $(IMAGE)
	@$(MAKE) --no-print-directory -o all install DESTDIR=$(CURDIR)/$(IMAGE) PREFIX=/usr PROGRAM_PREFIX= RENAMED='compare plot' >/dev/null

dist:
	@bash common/packages/dist.bash '$(VERSION)' $(PACKAGES)

deb: image
	@bash common/packages/deb.bash '$(VERSION)' $(PACKAGES) '$(GPU_CODE)'

wheel: image
	@python3 common/packages/wheel.py '$(VERSION)' $(PACKAGES) '$(GPU_CODE)'

# For a new system that may be spoiled: make deb wheel, then COMMANDS=try-packages make fresh.
try-packages:
	@bash tests/long/packages.bash $(PACKAGES)

.PHONY: installcheck image dist deb wheel try-packages

clean:
	rm -rf bin $(filter-out build/toolkit,$(wildcard build/*))

.PHONY: all help without-nvcc with-headers headers shared-headers compile_commands build-packages test-packages cross-packages \
    compiler-packages syntax syntax-of-units toolkit demo test bench test-gpu test-aarch64 fresh new lint format install uninstall clean FORCE

# ---- looking for defects: see tests/long/fuzz.bash and tests/long/sanitize.bash

SECONDS ?= 60
fuzz: $(LIB)/libsimt.a build/version.hpp
	@bash tests/long/fuzz.bash $(SECONDS) $(TARGETS)

sanitize:
	@bash tests/long/sanitize.bash address $(TESTS); status=$$?; \
	bash tests/long/sanitize.bash thread $(TESTS) && exit $$status

.PHONY: fuzz sanitize

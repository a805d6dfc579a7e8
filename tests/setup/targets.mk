# SPDX-License-Identifier: MIT
# What a build and its tests need of the system, checks that need no program, and tests that take minutes.

# Packages: only what is missing, only through apt-get, and only for targets that may install some.
packages = @CXX='$(CXX)' sh tests/setup/packages.sh $(1) $(BOOST)
build-packages:    ; $(call packages,--install build)
test-packages:     ; $(call packages,--install build test)
cross-packages:    ; $(call packages,--install build test cross)
compiler-packages: ; $(call packages,--install build $(if $(filter clang++,$(CXX)),clang))
# Missing headers are reported once, before the compiler does so file by file.
with-headers:      ; $(call packages,build)
$(COMMON_HOST): | with-headers

# (tests/new holds templates, which are not yet sources.)
FORMATTED = $(shell find common kernels tools tests -path tests/new -prune -o \
    \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print)

# The format of all sources, scripts and pages, and which room includes which.
lint: test-packages
	@bash tests/lint.bash $(FORMATTED)
format:
	clang-format -i $(FORMATTED)

# Every source and every header compiles by itself, whatever is included ahead of it elsewhere. (A header is compiled
# with its source, which includes it first, as `make lint` requires. Left out are the parts of simcc's headers: programs
# include headers by CUDA's names, and those include the parts in order; and code that only nvcc can compile.)
CHECKED_SOURCES := $(shell find common kernels tools \( -name '*.[ch]pp' -o -name '*.cuh' \) -not -path 'common/simt/include/*' \
    -not -path '*hopper*' -not -name 'cub*.cuh' -not -name bulk_copy.cuh -not -name wmma.cuh)
BY_THEMSELVES := $(filter-out $(patsubst %.cpp,%.hpp,$(filter %.cpp,$(CHECKED_SOURCES))),$(CHECKED_SOURCES))

headers: $(BY_THEMSELVES:%=build/alone/%.ok)
# The headers without sources that every program may use. There are few enough of them to compile each time.
shared-headers: $(patsubst %,build/alone/%.ok,$(filter-out common/simt/% %.cpp,$(filter common/%,$(BY_THEMSELVES))))

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

# What another compiler says, as quickly as it can be asked: make syntax CXX=clang++.
UNITS = $(addprefix build/host/,$(addsuffix .cpp,$(HOST_ROOMS) $(addprefix tools/,$(OWN) simcc))) $(SIMT_ROOMS:%=build/simt-%.cpp)
HOST_UNITS = $(filter build/host/%,$(UNITS)) $(filter-out %/version.cpp,$(ALONE)) $(OF_PROGRAM) $(HOST_PROGRAMS:%=tools/%.cpp)
SIMT_UNITS = $(filter build/simt-%,$(UNITS)) $(SIMT_ALONE)
syntax: compiler-packages
	@$(MAKE) --no-print-directory syntax-of-units
syntax-of-units: $(UNITS) $(TEXT_FILES) build/plants.inc build/summaries.inc
	@{ printf '%s\n' $(HOST_UNITS) | sed 's|^|$(HOST_FLAGS) |'; printf '%s\n' $(SIMT_UNITS) | sed 's|^|$(SIMT_FLAGS) |'; } | \
	    xargs -P $$(nproc) -L 1 $(CXX) -fsyntax-only -Werror
	@echo "make: $(CXX) takes all $(words $(HOST_UNITS) $(SIMT_UNITS)) units"

# For clangd and clang-tidy: every file's command, as make would run it. (clang reads CUDA by itself; simcc's and nvcc's
# own flags are left out.)
compile_commands:
	@mkdir -p build
	@{ printf '%s\n' $(filter-out common/simt/%,$(filter %.cpp,$(FORMATTED))) | sed 's|.*|& -x c++ $(HOST_FLAGS)|'; \
	    printf '%s\n' $(filter common/simt/%,$(filter %.cpp,$(FORMATTED))) | sed 's|.*|& -x c++ $(SIMT_FLAGS)|'; \
	    printf '%s\n' $(filter %.cu,$(FORMATTED)) | sed 's|.*|& -x cuda -nocudalib -std=c++17 -I. -DBACKEND=gpu|'; } | \
	awk -v folder='$(CURDIR)' '{ file = $$1; sub(/^[^ ]+ /, ""); \
	        printf "%s{\"directory\": \"%s\", \"file\": \"%s\", ", (NR > 1 ? ",\n" : "[\n"), folder, file; \
	        printf "\"command\": \"clang++ %s -c %s\"}", $$0, file } \
	    END { print "\n]" }' >build/compile_commands.json

# Tests that take minutes: each script says at its top what it does.
test-aarch64: cross-packages
	@bash tests/long/aarch64.bash $(TESTS)
# Both of the README's commands in a new, minimal system.
fresh:
	@DIST='$(DIST)' bash tests/long/fresh.bash
SECONDS ?= 60
fuzz: $(LIB)/libsimt.a build/version.hpp
	@bash tests/long/fuzz.bash $(SECONDS) $(TARGETS)
sanitize:
	@bash tests/long/sanitize.bash address $(TESTS); status=$$?; \
	bash tests/long/sanitize.bash thread $(TESTS) && exit $$status
# For a new system that may be spoiled: make deb wheel, then COMMANDS=try-packages make fresh.
try-packages:
	@bash tests/long/packages.bash $(PACKAGES)
.PHONY: build-packages test-packages cross-packages compiler-packages with-headers lint format headers shared-headers \
    syntax syntax-of-units compile_commands test-aarch64 fresh fuzz sanitize try-packages

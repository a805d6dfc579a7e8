# SPDX-License-Identifier: MIT
# What all rules share, what differs between compilers, and the host's code.

# Says what a rule makes, and with what, in place of its command: $(call say,g++)command.
say = $(if $(V),,@printf '%-12s %s\n' '$(1)' '$(or $(2),$@)';)

# A changed flag rebuilds what depends on it: each stamp is rewritten only when its text differs.
define stamp
build/flags-$(1): FORCE
	@mkdir -p build
	@printf '%s\n' '$$(subst ','\'',$(2))' | cmp -s - $$@ || printf '%s\n' '$$(subst ','\'',$(2))' >$$@
endef

# build/$(1) includes the files $(2), so adding or removing one compiles it anew.
define unit
build/$(1): FORCE
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $(2) | cmp -s - $$@ || printf '#include "%s"\n' $(2) >$$@
endef
.PHONY: FORCE
.SECONDARY:

# The marks of files, the lines `// make: WORD (why)`, are here FILE:WORD, as common/cli/options.cpp:-O0.
LEVELS := -O0 -O1 -O2 -O3
MARKS := $(sort $(shell grep -r -s -o '^// make: [a-z]* *[-O0-9]*' common kernels tools | sed 's,// make:,,; s, ,,g'))
marked = $(patsubst %:$(1),%,$(filter %:$(1),$(MARKS)))
UNKNOWN := $(strip $(filter-out $(patsubst %,\%:%,alone program simcc $(LEVELS) $(LEVELS:%=room%)),$(MARKS)) \
    $(filter $(patsubst %,common/simt/\%:%,$(LEVELS)),$(MARKS)))
$(if $(UNKNOWN),\
    $(error a line "// make:" has a word that the Makefile does not list, or not for such a file: $(UNKNOWN)))

# The files like $(1) that are marked with a level, or with $(2) and a level, are compiled at it: the variable $(3) is
# that level for the object $(4), in which FILE stands for the file without its extension, and ROOM for its room.
at_levels = $(foreach level,$(LEVELS),$(foreach file,$(filter $(1),$(call marked,$(2)$(level))),$(eval \
    $(subst FILE,$(basename $(file)),$(subst ROOM,$(call room_of,$(file)),$(4))): private $(3) = $(level))))
room_of = $(firstword $(filter-out common simt,$(subst /, ,$(1))))

# What differs between compilers, all in one place. g++ 12 reports uninitialized members in moved variants where there
# are none. It starts to collect garbage at 512 MiB, not at 128: few units get there, and it takes up to a tenth of their
# time. It gives variables of templates unique symbols, which would stay global when a backend's objects are isolated,
# and vectorizes loops below -O2 only if told so. clang++ has none of this. It cannot compile checked kernels either,
# since simcc --check needs the instrumentation of g++: CHECKED_CXX is empty where there is no g++, or where the standard
# library is another, libc++, for which no system builds libfmt either.
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
$(eval $(call stamp,host,$$(CXX) $$(HOST_FLAGS)))

# A room, and the host files of a program, are each compiled as one unit: most of a file's time goes into templates that
# the others instantiate, too. build/host/common/io.cpp includes common/io/*.cpp, apart from the files whose marks say
# otherwise.
HOST_ROOMS := common/io common/cuda common/process common/cli common/measure common/gang common/simt/driver common/simt/rewrite
ALONE := $(filter-out common/simt/%,$(filter %.cpp,$(foreach word,alone $(LEVELS),$(call marked,$(word)))))
room_files = $(filter-out $(ALONE) $(call marked,program),$(wildcard $(1)/*.cpp))
object = $(patsubst %.cpp,build/host/%.o,$(1))
COMMON_HOST := $(patsubst %,build/host/common/%.o,io cuda cli measure) $(call object,$(filter common/%,$(ALONE)))
OF_PROGRAM := $(filter-out common/simt/%,$(call marked,program))
$(foreach room,$(HOST_ROOMS),$(eval $(call unit,host/$(room).cpp,$(call room_files,$(room)))))
# The host files of the program $(1), and their objects.
own_files = $(strip $(call room_files,tools/$(1)))
own_objects = $(if $(call own_files,$(1)),build/host/tools/$(1)/own.o) $(call object,$(filter tools/$(1)/%,$(ALONE)))
OWN := $(foreach tool,$(PROGRAMS) $(HOST_PROGRAMS),$(if $(call own_files,$(tool)),$(tool)/own))
$(foreach own,$(OWN),$(eval $(call unit,host/tools/$(own).cpp,$(call own_files,$(own:/own=)))))

$(patsubst %,build/host/%.o,$(HOST_ROOMS) $(addprefix tools/,$(OWN) simcc)): build/host/%.o: build/host/%.cpp build/flags-host
	$(call say,$(CXX),$(patsubst build/host/%.cpp,%,$(<:/own.cpp=.cpp)))$(CXX) $(HOST_FLAGS) -MMD -MP -c $< -o $@
build/host/%.o: %.cpp build/flags-host
	@mkdir -p $(@D)
	$(call say,$(CXX),$<)$(CXX) $(HOST_FLAGS) -MMD -MP -c $< -o $@
$(call at_levels,%.cpp,,OPTIMIZE,build/host/FILE.o)

# The tests of single parts link this one.
build/libgridutils.a: $(COMMON_HOST) build/host/common/process.o build/host/common/gang.o $(call object,$(OF_PROGRAM))
	@rm -f $@
	@$(AR) rcs $@ $^

# Only version.cpp includes this file, which is written when the version or the revision has changed.
version_header = printf '\#define GRIDUTILS_%s\n' 'VERSION "$(VERSION)"' 'REVISION "$(REVISION)"'
build/version.hpp: FORCE
	@mkdir -p build
	@$(version_header) | cmp -s - $@ || $(version_header) >$@
build/host/common/measure/version.o build/alone/common/measure/version.cpp.ok: build/version.hpp

# SPDX-License-Identifier: MIT
# The parts of a program with kernels, one for each backend; how all parts are linked; the text that some contain.
BACKENDS := $(if $(NVCC),gpu) sim $(if $(CHECKED_CXX),checked)
# Code of CUDA that all programs share is one unit, and that of gangs another, for the programs that have them.
$(eval $(call unit,cuda.cu,$(wildcard common/cuda/*.cu common/measure/*.cu)))
$(eval $(call unit,gang.cu,$(wildcard common/gang/*.cu)))
WITH_GANGS := $(shell grep -l -r --include='*.cu*' 'include "common/gang/.*\.cuh"' tools | \
    sed 's,^tools/\([^/.]*\).*,\1,' | sort -u)

# A program's part for one backend exports backend() and nothing else, so that no function, inline or template, of one
# backend can be linked into another. Its name is $(1)::backend() as g++ mangles it; $(2) is the length of $(1). $(3)
# are prerequisites of all these, $(4) is the compiler, $(5) what to call it. timing-test is the timing layer's own
# test, with kernels of known duration.
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
$(LAUNCHING:%=build/$(1)/%.isolated.o): build/$(1)/%.isolated.o: build/$(1)/tools/%/device_launches.o
endef
simulate = CXX="$$($(if $(filter checked,$(1)),CHECKED_)CXX)" bin/simcc $$(FLAGS_$(1))
# (nvcc waits for simcc, so that the longest compilations of both backends then come first.)
$(eval $(call backend,gpu,3,| build/bin/simcc,$$(NVCC) $$(NVCC_FLAGS),nvcc))
$(eval $(call backend,sim,3,$$(SIMCC) $$(SIMT_HEADERS) | build/bin/simcc,$(call simulate,sim),simcc))
$(eval $(call backend,checked,7,$$(SIMCC) $$(SIMT_HEADERS) | build/bin/simcc,$(call simulate,checked),simcc -G))

# FMT=-l:libfmt.a links {fmt} into the programs, for packages that are installed on other releases of a system.
FMT ?= $(if $(LIBCXX),,-lfmt)
LIBRARIES = $(FMT) -lz -lpthread -ldl -lrt $(BACKTRACE) $(BOOST:%=-l%_context)
$(eval $(call stamp,link,$$(CXX) $$(BACKENDS) $$(UNCHECKED:%=-%) $$(LIBRARIES)))
# (Symbols are bound at the start: a lane's stack is too small for the dynamic linker.)
share = $(CXX) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN' -Wl,-Bsymbolic,--as-needed,--gc-sections,-z,now
$(LIB)/libgridutils.so: $(COMMON_HOST) $(LIB)/libsimt.so build/flags-link
	$(call say,link)$(share) $(filter %.o %.so,$^) $(LIBRARIES) -o $@

# (An older build has a folder of that name.)
bin: FORCE
	@mkdir -p build/bin && { [ -L $@ ] || { rm -rf $@ && ln -s build/bin $@; }; }

SHARED := $(LIB)/libgridutils.so $(LIB)/libsimt.so $(if $(NVCC),$(LIB)/libcudart.so)
RUNPATH := -Wl,-rpath,'$$ORIGIN/../lib/gridutils'
backends_of = $(foreach backend,$(filter-out $(if $(filter $(1),$(UNCHECKED)),checked),$(BACKENDS)),build/$(backend)/$(1).isolated.o)
$(foreach program,$(PROGRAMS) timing-test,$(eval bin/$(program): $(call backends_of,$(program)) $(call own_objects,$(program))))
$(WITH_GANGS:%=bin/%): build/host/common/gang.o
bin/memcheckdemo: build/host/common/process.o
$(PROGRAMS:%=bin/%) bin/timing-test: bin/%: \
        $(call object,$(OF_PROGRAM)) $(call simt_objects,$(call marked,program)) $(SHARED) build/flags-link | bin
	$(call say,link)$(CXX) $(RUNPATH) -Wl,-z,now $(filter %.o,$^) $(SHARED) \
	    $(if $(NVCC),$(addsuffix /libcudadevrt.a,$(firstword $(dir $(wildcard $(CUDA_LIBRARIES:%=%/libcudadevrt.a)))))) $(LIBRARIES) -o $@

# (These need neither a backend nor the simulator, so they have no use for a library that refers to both.)
$(foreach program,$(HOST_PROGRAMS),$(eval bin/$(program): $(call own_objects,$(program))))
$(HOST_PROGRAMS:%=bin/%): bin/%: build/host/tools/%.o build/libgridutils.a build/flags-link | bin
	$(call say,link)$(CXX) $(RUNPATH) -Wl,--gc-sections $(filter %.o,$^) build/libgridutils.a $(FMT) -lz -lpthread -o $@

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

# gridutils lists the programs with the lines that describe them in their pages.
build/summaries.inc: $(wildcard man/*.1)
	@mkdir -p build
	@for name in $(sort $(filter-out gridutils,$(PROGRAMS) $(HOST_TOOLS))); do \
	    sed -n 's/^\.Nd \(.*\)/{"'$$name'", "\1"},/p' man/$$name.1 || exit; done >$@
build/host/tools/gridutils.o build/alone/tools/gridutils.cpp.ok: build/summaries.inc

# A program that compiles kernels at run time contains their text: build/text/FILE.inc is FILE as a string. (These are
# the words PROGRAM:build/text/FILE.inc.)
TEXTS := $(sort $(shell grep -s -o '^.include "build/text/.*\.inc"' tools/*/*.cpp | \
    sed 's,^tools/\([^/]*\)/.*"\(.*\)"$$,\1:\2,'))
TEXT_FILES := $(sort $(filter build/text/%,$(subst :, ,$(TEXTS))))
$(foreach text,$(TEXTS),$(eval build/host/tools/$(subst :,/own.o: | ,$(text))))
$(patsubst %,build/alone/%.ok,$(wildcard tools/*/*.cpp)): | $(TEXT_FILES)
build/text/%.inc: %
	@mkdir -p $(@D)
	@{ printf 'R"TEXT(' && cat $< && printf ')TEXT"\n'; } >$@

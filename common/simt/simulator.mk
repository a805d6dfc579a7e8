# SPDX-License-Identifier: MIT
# The simulator: its library, and simcc, which compiles CUDA for it. A room is one unit. All are in libsimt.so, which
# our programs share, and members of libsimt.a, from which simcc links other people's programs: the other rooms do not
# refer to the checkers, so only programs with checked kernels contain those.
SIMT_ROOMS := exec runtime api modules nccl check
# The CUDA libraries: only in libsimt.a, as our own programs use NVIDIA's. Programs that do not use one do not get it.
SIMT_LIBRARIES := library blas rand fft
# The files that are no part of their rooms: every program has some, what simcc --check has linked has all.
SIMT_ALONE := $(filter common/simt/%,$(call marked,alone) $(call marked,program))
simt_objects = $(patsubst common/%.cpp,build/%.o,$(filter $(SIMT_ALONE),$(1)))
SIMT_FILES = $(filter-out $(SIMT_ALONE),$(wildcard common/simt/$(1)/*.cpp common/simt/$(1)/*/*.cpp))
$(foreach room,$(SIMT_ROOMS) $(SIMT_LIBRARIES),$(eval $(call unit,simt-$(room).cpp,$(call SIMT_FILES,$(room)))))

# The simulator switches lanes with its own code on x86-64 and AArch64, with Boost.Context elsewhere.
BOOST := $(if $(filter x86_64-% aarch64-%,$(shell $(CXX) -dumpmachine 2>/dev/null || uname -m)-),,boost)
# libbacktrace, which ships with g++, names file and line in the checkers' reports; it is not on every machine. (clang++
# finds the library, but not its header, which is among g++'s own.)
BACKTRACE_IN := $(dir $(filter /%,$(shell $(CXX) -print-file-name=libbacktrace.a 2>/dev/null)))
BACKTRACE := $(if $(BACKTRACE_IN),-lbacktrace)
# Thread-local variables: see exec/thread_access.cpp. (Other processors than x86-64 have this way of finding them by
# default, and not every clang++ knows it.)
SIMT_THREADS := $(if $(CLANG),,$(if $(filter x86_64-%,$(shell $(CXX) -dumpmachine 2>/dev/null)-),-mtls-dialect=gnu2))
# (No tail calls, so that a backtrace shows which function of the API it came through.)
SIMT_FLAGS = -std=c++20 $(SIMT_OPTIMIZE) -g1 $(WARNINGS) $(call of_gcc,HEAP) -fPIC $(SIMT_THREADS) -fno-semantic-interposition \
    -I. -fno-optimize-sibling-calls \
    -Icommon/simt/include $(if $(CLANG),$(BACKTRACE_IN:%=-idirafter %include))
$(eval $(call stamp,simt,$$(CXX) $$(SIMT_FLAGS)))
build/simt-%.o: build/simt-%.cpp build/flags-simt
	$(call say,$(CXX),common/simt/$*)$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@
build/simt/%.o: common/simt/%.cpp build/flags-simt
	@mkdir -p $(@D)
	$(call say,$(CXX),$<)$(CXX) $(SIMT_FLAGS) -MMD -MP -c $< -o $@
$(call at_levels,%.cpp,room,SIMT_OPTIMIZE,build/simt-ROOM.o)

$(LIB)/libsimt.so: $(SIMT_ROOMS:%=build/simt-%.o) build/simt/exec/thread_access.o build/flags-link
	@mkdir -p $(@D)
	$(call say,link)$(share) $(filter %.o,$^) $(LIBRARIES) -o $@
# (With libbacktrace, so that whoever links it needs no other library.)
$(LIB)/libsimt.a: $(patsubst %,build/simt-%.o,$(SIMT_ROOMS) $(SIMT_LIBRARIES) names) $(call simt_objects,$(SIMT_ALONE))
	@mkdir -p $(@D)
	@rm -f $@
	@printf '%s\n' 'create $@' $(^:%='addmod %') $(BACKTRACE:%='addlib $(BACKTRACE_IN)libbacktrace.a') save end | $(AR) -M
$(LIB)/include:
	@mkdir -p $(@D) && ln -sfn ../../../common/simt/include $@

# The API's functions have linker symbols of the simulator's own (include/simt/declare.h). These are CUDA's: each is a
# jump to the other.
build/simt-names.o: $(SIMT_ROOMS:%=build/simt-%.o) common/simt/api/names.S common/simt/simulator.mk
	@{ cat common/simt/api/names.S; "$$($(CXX) -print-prog-name=nm)" -gP --defined-only $(filter %.o,$^) | sed -n 's/^simt_\(\(cu\|nv\|nccl\)[A-Za-z0-9_]*\) [TW] .*/plain \1/p'; } | \
	    $(CXX) -c -x assembler-with-cpp - -o $@

# A folder with the form of a CUDA toolkit, for makefiles and CMake: `simcc --print-cuda-home` says where. Its libraries
# have the simulator and CUDA's symbols. Two are scripts, which tell the linker what a program needs that gcc links as
# C. libcudart_simt.so.13, a name that no toolkit has, contains what is otherwise part of each program, too, except for
# the variables' fixed places.
CUDA_FOLDER := $(LIB)/cuda
CUDA_LINKS := bin/nvcc:../../../../bin/simcc include:../include lib:lib64 \
    lib64/libcudart.a:libcudart_static.a lib64/stubs/libcuda.so:../libcuda.so.1 \
    $(patsubst %,lib64/lib%.so:libcudart.so,cuda nvToolsExt nccl nvrtc cublas curand cufft) \
    $(patsubst %,lib64/lib%_static.a:libcudart_static.a,nvrtc cublas curand cufft) \
    $(patsubst %,lib64/lib%:libcudart_simt.so.13,cudart.so.13 cuda.so.1)
$(CUDA_FOLDER)/lib64/libcudart_simt.so.13: $(patsubst %,build/simt-%.o,$(SIMT_ROOMS) $(SIMT_LIBRARIES)) build/simt-names.o build/flags-link \
        $(filter-out build/simt/exec/thread_access.o,$(call simt_objects,$(SIMT_ALONE)))
	@mkdir -p $(@D)
	$(call say,link)$(share) $(filter %.o,$^) $(filter-out $(FMT) -lz,$(LIBRARIES)) -o $@
$(CUDA_FOLDER)/version.json: common/simt/simulator.mk
	@mkdir -p $(addprefix $(@D)/,bin lib64/stubs)
	@rm -f $(@D)/lib64/lib*.so $(@D)/lib64/lib*.a
	@for link in $(CUDA_LINKS); do ln -sfn "$${link#*:}" $(@D)/"$${link%%:*}" || exit; done
	@echo 'GROUP ( libcudart_simt.so.13 AS_NEEDED ( -lstdc++ -lm ) )' >$(@D)/lib64/libcudart.so
	@echo 'GROUP ( ../../libsimt.a -lstdc++ -lm -lpthread -ldl -lrt$(BOOST:%= -l%_context) )' >$(@D)/lib64/libcudart_static.a
	@$(AR) rcs $(@D)/lib64/libcudadevrt.a
	@printf '{"cuda": {"name": "CUDA SDK", "version": "13.0.88"}}\n' >$@

# What simcc itself consists of. (Its version is added when it is linked: what it compiles does not depend on that.)
SIMCC := $(addprefix build/host/,tools/simcc.o common/simt/driver.o common/simt/rewrite.o)
$(eval $(call unit,host/tools/simcc.cpp,tools/simcc.cpp $(call marked,simcc)))
# simcc puts these first in the include path as system headers, which the compiler does not list as dependencies.
SIMT_HEADERS := $(shell find common/simt/include -type f)
# (Kernels are compiled by it long before the library is there with which it links other people's.)
build/bin/simcc: $(SIMCC) build/host/common/measure/version.o | bin $(LIB)/include
	$(call say,link)$(CXX) $^ -lpthread -o $@
bin/simcc: build/bin/simcc $(LIB)/libsimt.a $(CUDA_FOLDER)/lib64/libcudart_simt.so.13 $(CUDA_FOLDER)/version.json ;
# The tests of simcc's rewriter, pass by pass.
bin/rewrite-test: build/host/tests/rewrite/runner.o build/host/common/simt/rewrite.o | bin
	$(call say,link)$(CXX) $^ -o $@

FLAGS_sim = -std=c++17 $(WARNINGS) $(addprefix -Xcompiler ,$(call of_gcc,SYMBOLS) $(call of_gcc,HEAP)) $(SIMULATED) -I. \
    -DBACKEND=sim
# Our programs check only when an option asks for it. --annotate must find the source from any folder, so file names are
# absolute.
FLAGS_checked = -std=c++17 -Wall -Wextra $(GCC_WARNINGS) -Xcompiler $(GCC_SYMBOLS),$(GCC_HEAP) $(CHECKED) -I$(CURDIR) \
    -DBACKEND=checked --check -DSIMT_CHECK_ON_DEMAND
$(eval $(call stamp,sim,$$(CXX) $$(FLAGS_sim)))
$(eval $(call stamp,checked,$$(CHECKED_CXX) $$(FLAGS_checked)))
$(call at_levels,%.cu,,SIMULATED,build/sim/FILE.o)
# (Defects that hang a GPU should hang: threads in loops do not wait for one that never comes. And one of them relies on
# lockstep.)
build/sim/tools/memcheckdemo.o: private SIMULATED += -lanes stacks --schedule independent
build/checked/tools/memcheckdemo.o: private CHECKED += --schedule independent
$(call at_levels,%.cu,room,SIMULATED,build/sim/ROOM-unit.o)

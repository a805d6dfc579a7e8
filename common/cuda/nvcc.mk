# SPDX-License-Identifier: MIT
# nvcc: where it is, what it builds for, and what only it compiles.
TOOLKIT := build/toolkit/nvidia/cu13
NVCC ?= $(or $(shell command -v nvcc 2>/dev/null),$(wildcard $(TOOLKIT)/bin/nvcc))

# The architectures to build GPU code for, as in ARCHS="80 90a"; by default those of this machine's GPUs. The newest
# plain one is also included as PTX, for GPUs newer than this build; a word such as ptx75 asks for that PTX instead.
# Without a GPU the default is Hopper, the only generation with kernels of its own here, and PTX of the oldest
# architecture that both nvcc and the programs support, which every GPU since then compiles at the first start. (90a
# rather than 90: Hopper's own instructions need it, and that generation has no other GPUs.)
NATIVE := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | \
    grep -E '^[0-9]+$$' | sort -un | sed 's/^90$$/90a/;s/^100$$/100a/')
KNOWN := $(if $(NVCC),$(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch 2>/dev/null)))
ARCHS ?= $(or $(NATIVE),$(addprefix ptx,$(firstword $(filter 75 80,$(KNOWN)))) $(patsubst 90,90a,$(filter 90,$(KNOWN))))
PTX = $(or $(patsubst ptx%,%,$(filter ptx%,$(ARCHS))),$(lastword $(filter-out %a,$(ARCHS))))
comma := ,
gencode = -gencode arch=compute_$(1)$(comma)code=$(2)_$(1)
GENCODE = $(foreach arch,$(filter-out ptx%,$(ARCHS)),$(call gencode,$(arch),sm)) \
    $(foreach arch,$(PTX),$(call gencode,$(arch),compute))

# Where nvcc can, it compiles the kernels of a unit side by side, on 16 cores those of bf16 in 38 s instead of 111, and
# compresses their code well: that of vecadd to 28 KB instead of 384.
NVCC_HELP := $(if $(NVCC),$(shell $(NVCC) --help 2>/dev/null | grep -o -e -split-compile -e -compress-mode | sort -u))
NVCC_OPTIONS := $(patsubst -split-compile,-split-compile=0,$(NVCC_HELP:-compress-mode=-compress-mode=size))
# (To clang++, the headers of CUDA that nvcc hands it are not a system's, so it would report what we do not use of
# them.)
HOST_OF_KERNELS := -Xcompiler "$(WARNINGS) $(if $(CLANG),-Wno-unused-function) $(call of_gcc,LOOPS) $(call of_gcc,SYMBOLS) -g1 $(call of_gcc,HEAP)"
# Lines of GPU code, for profilers and compute-sanitizer. They are three fifths of the compressed code, so the units
# with the most of it have them only on request: make HOPPER_LINES=-lineinfo.
GPU_LINES = -lineinfo
HOPPER_LINES ?=
NVCC_FLAGS = -std=c++17 $(NVCC_OPTIONS) $(KERNEL_HOST)$(if $(GPU_OPTIMIZE), $(GPU_OPTIMIZE)) -ccbin $(CXX) $(GPU_LINES) \
    -I. -DBACKEND=gpu $(GENCODE) $(HOST_OF_KERNELS)
$(eval $(call stamp,gpu,$$(NVCC) $$(NVCC_FLAGS) $$(HOPPER_LINES)))

# So that one type's kernels are compiled beside another's, tools/NAME/hopper/*.cu are units of their own for nvcc.
FOR_HOPPER := $(wildcard tools/*/hopper/*.cu)
$(FOR_HOPPER:%.cu=build/gpu/%.o): private GPU_LINES = $(HOPPER_LINES)
$(foreach unit,$(FOR_HOPPER:.cu=),$(eval build/gpu/$(word 2,$(subst /, ,$(unit))).isolated.o: build/gpu/$(unit).o))

# Kernels that launch kernels are in a unit of their own, tools/NAME/device_launches.cu: nvcc compiles it as relocatable
# device code and links it with the device runtime, which leaves all other kernels as they are. PTX cannot be linked:
# where ARCHS names some, for GPUs that are not known yet, this unit has machine code for all generations instead.
LAUNCHING := $(patsubst tools/%/device_launches.cu,%,$(wildcard tools/*/device_launches.cu))
ifneq ($(and $(NVCC),$(LAUNCHING)),)
$(LAUNCHING:%=build/gpu/%.isolated.o): build/gpu/%.isolated.o: build/gpu/tools/%/device_launches-linked.o
build/gpu/%/device_launches.o build/gpu/%/device_launches-linked.o: private NVCC_FLAGS += -rdc=true \
    $(if $(filter ptx%,$(ARCHS)),$(foreach arch,$(filter 75 80 100 120,$(KNOWN)),$(call gencode,$(arch),sm)))
build/gpu/%/device_launches-linked.o: build/gpu/%/device_launches.o
	$(call say,nvcc -dlink)$(NVCC) $(NVCC_FLAGS) -dlink $< -lcudadevrt -o $@
endif

# The CUDA runtime, as all programs share it. (nvcc says where the toolkit's own libraries are, even when it is a
# wrapper script.)
CUDA_LIBRARIES := $(if $(NVCC),$(shell $(NVCC) --dryrun -x cu /dev/null -o x 2>&1 | tr ' ' '\n' | tr -d '"' | sed -n 's/^-L//p' | grep -v stubs))
$(LIB)/libcudart.so:
	@mkdir -p $(@D)
	@for folder in $(CUDA_LIBRARIES) $$(dirname "$$($(CXX) -print-file-name=libcudart.so)"); do \
	    for file in "$$folder"/libcudart.so.[0-9]*; do \
	        name=$$(readelf -d "$$file" 2>/dev/null | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'); \
	        [ -n "$$name" ] && cp -L "$$file" $(@D)/"$$name" && ln -sf "$$name" $@ && exit; done; done; \
	echo "make: libcudart.so is neither in $(CUDA_LIBRARIES) nor in the system's folders; install the CUDA runtime" >&2; exit 1

# (NVIDIA's own list of what belongs to a release: its parts have versions of their own.)
CUDA = 13.0
toolkit:
	python3 -m pip install --quiet --upgrade --target build/toolkit 'cuda-toolkit[nvcc,cccl,nvrtc,nvtx]==$(CUDA).*'
	@echo "make: nvcc is $(TOOLKIT)/bin/nvcc; make all uses it from now on"
.PHONY: toolkit

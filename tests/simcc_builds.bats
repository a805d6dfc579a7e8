#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Other people's builds: CMake, makefiles with nvcc's options of any age, programs that gcc and g++ link, hosts in C, and
# a toolkit that is there or not.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
sources=$BATS_TEST_DIRNAME/simcc/builds

# What the host programs of tests/simcc/builds print.
in_c="1504.0 1 3 4 -5+10i 6 cudaErrorInvalidValue"
in_cpp="1504.0 3"

# Writes standard input to the file NAME.
file() { cat >"$1"; }

# The folder with the form of a toolkit.
cuda_home() { simcc --print-cuda-home; }

# ---- CMake

@test "CMake takes simcc for nvcc: separable compilation, shared libraries, the toolkit's targets" {
    need cmake
    CUDACXX=$(command -v simcc) capture cmake -S "$sources" -B build
    expect_status 0
    expect_output_like "The CUDA compiler identification is NVIDIA 13\.0\.88"
    expect_output_like "Found CUDAToolkit: $(realpath "$(cuda_home)")/include"
    expect_output_like "compiler NVIDIA, architectures 90"
    capture cmake --build build -j 2
    expect_status 0
    capture build/in_c
    expect_output "$in_c"
    capture build/in_cpp
    expect_output "$in_cpp"
}

@test "CMake finds simcc by CUDA_PATH, and its architectures may be native or any list" {
    need cmake
    local list
    mkdir project
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CUDA)\nadd_library(x OBJECT x.cu)\n' >project/CMakeLists.txt
    printf '__global__ void k(int* p) { *p = __CUDA_ARCH__; }\n' >project/x.cu
    for list in native '52;70-real;80-virtual'; do
        rm -rf build
        capture env -u CUDACXX PATH="/usr/bin:/bin" CUDA_PATH="$(cuda_home)" cmake -S project -B build -DCMAKE_CUDA_ARCHITECTURES="$list"
        expect_status 0 || return
        capture cmake --build build
        expect_status 0 || complain "with $list" || return
    done
    grep -q "CMAKE_CUDA_COMPILER \"$(realpath "$(cuda_home)")/bin/nvcc\"" build/CMakeFiles/*/CMakeCUDACompiler.cmake
}

@test "--version and -v say what programs look for in those of nvcc" {
    local settings
    [ "$(simcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')" = 13.0 ]
    capture simcc -v __cmake_determine_cuda
    expect_status 2
    settings=$(cuda_home)
    expect_errors_like "#\\$ TOP=$settings"
    expect_errors_like "#\\$ INCLUDES=-I$settings/include"
    echo 'int main() { return 0; }' >x.cu
    capture simcc -arch=sm_80 -dryrun x.cu
    expect_status 0
    expect_errors_like " -arch compute_80"
    # The command that links has what the line of libraries says.
    grep -F -q -e "$(sed -n 's/^#\$ LIBRARIES=//p' stderr)" <(sed -n '/ -o a.out/p' stderr) || complain "the link command lacks the libraries"
}

# ---- makefiles

@test "a makefile that knows only CUDA_HOME builds: its nvcc, headers and libraries, for gcc and for g++" {
    file Makefile <<'MAKE'
CUDA_PATH ?= /usr/local/cuda
NVCC = $(CUDA_PATH)/bin/nvcc
NVCCFLAGS = -O1 -m64 -ccbin g++ -gencode arch=compute_50,code=sm_50 -gencode arch=compute_70,code=\"sm_70,compute_70\" \
    -Xptxas -v -maxrregcount 32 --threads 0 -use_fast_math -Xcompiler "-Wall -Wno-unused"
all: in_c in_cpp alone
%.o: $(SOURCES)/%.cu
	$(NVCC) $(NVCCFLAGS) --compiler-bindir=gcc -rdc=true -c $< -o $@
linked.o: weighted.o weights.o
	$(NVCC) $(NVCCFLAGS) -dlink $^ -o $@ -lcudadevrt
c.o: $(SOURCES)/main.c
	gcc -std=c99 -Wall -Wextra -Werror -I$(CUDA_PATH)/include -c $< -o $@
in_c: c.o weighted.o weights.o linked.o
	gcc $^ -o $@ -L$(CUDA_PATH)/lib64 -lcudart -lcuda
in_cpp: $(SOURCES)/main.cpp weighted.o weights.o
	g++ -std=c++98 -isystem $(CUDA_PATH)/include $^ -o $@ -L$(CUDA_PATH)/lib64 -lcudart_static -lpthread -ldl
alone: c.o weighted.o weights.o
	$(NVCC) $(NVCCFLAGS) $^ -o $@ -L/usr/local/cuda/lib64 -lcudart -lcuda
MAKE
    capture make CUDA_PATH="$(cuda_home)" SOURCES="$sources"
    expect_status 0
    LD_LIBRARY_PATH=$(cuda_home)/lib64 capture ./in_c
    expect_output "$in_c"
    capture ./in_cpp
    expect_output "$in_cpp"
    capture ./alone
    expect_output "$in_c"
    # The library's name is no toolkit's: without its folder the program does not start with another.
    LD_LIBRARY_PATH='' capture ./in_c
    expect_status 127
    expect_errors_like "libcudart_simt\.so\.13"
}

@test "a host in C compiles as C99 to C17, one in C++ as C++98 to C++20, without a warning" {
    local standard
    for standard in c99 c11 c17; do
        capture gcc -std=$standard -Wall -Wextra -Werror -I"$(cuda_home)/include" -c "$sources/main.c" -o c.o
        expect_status 0 || return
    done
    for standard in 98 11 14 17 20; do
        capture g++ -std=c++$standard -Wall -Wextra -Werror -isystem "$(cuda_home)/include" -c "$sources/main.cpp" -o cpp.o
        expect_status 0 || return
    done
    # Every header that C programs include.
    for header in "$(cuda_home)"/include/{cuda_runtime,cuda_runtime_api,driver_types,vector_types,vector_functions,cuComplex,library_types,builtin_types,cuda_profiler_api,texture_types,nccl}.h; do
        printf '#include <%s>\nint main(void) { return 0; }\n' "${header##*/}" >header.c
        capture gcc -std=c99 -Wall -Wextra -Werror -I"$(cuda_home)/include" -c header.c
        expect_status 0 || return
    done
}

@test "old options of nvcc are accepted: architectures of its first years, emulation, objects named .obj, files of options" {
    echo 'int main() { return CUDART_VERSION < 13000 || __CUDA_ARCH__ != 130; }' >x.cu
    capture simcc -deviceemu -arch=compute_10 -code=sm_10,compute_10 -Xopencc -O2 --host-compilation=C++ --gpu-name sm_13 \
        -Xptxas=-v --ptxas-options=-O3 --keep-dir /tmp --opencc-options -LIST:source=on -c x.cu -o x.obj
    expect_status 0
    echo '-o from_file -lcuda -lcudart' >link.rsp
    capture simcc x.obj @link.rsp -L/usr/local/cuda/lib64
    expect_status 0
    capture ./from_file
    expect_status 0
    capture simcc @missing.rsp
    expect_status 2
    expect_refusal simcc "options file 'missing.rsp' cannot be read"
    capture simcc -forward-unknown-to-host-linker --gc-sections x.obj -dryrun
    expect_status 0
    expect_errors_like ' --gc-sections '
    # -ccbin: what is not there, as in makefiles of another time, leaves the choice to simcc.
    capture simcc -ccbin /usr/bin/gcc -dryrun x.cu
    expect_errors_like '/usr/bin/g\+\+ -E '
    capture simcc --compiler-bindir=g++-4.4 -dryrun x.cu
    expect_status 0
    expect_errors_like '#\$ [^ ]*(g\+\+|clang\+\+)[^ ]* -E '
}

# ---- CUDA's own symbols

@test "a program that knows nothing of the simulator's headers finds CUDA's names, in the archive and by dlopen" {
    need python3
    echo 'int cudaGetDeviceCount(int*); int main(void) { int count = 0; return cudaGetDeviceCount(&count) || count != 2; }' >plain.c
    gcc plain.c -L"$(cuda_home)/lib64" -lcudart_static -o plain
    SIMCC_DEVICES=2 capture ./plain
    expect_status 0
    file plain.py <<'PYTHON'
import ctypes, sys
runtime = ctypes.CDLL("libcudart.so.13")
pointer, value = ctypes.c_void_p(), ctypes.c_int()
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4)) == 0
assert runtime.cudaMemset(pointer, 1, ctypes.c_size_t(4)) == 0
assert runtime.cudaMemcpy(ctypes.byref(value), pointer, ctypes.c_size_t(4), 2) == 0
print(hex(value.value))
PYTHON
    LD_LIBRARY_PATH=$(cuda_home)/lib64 capture python3 plain.py
    expect_output 0x1010101
    # Every function of the API has its name in both.
    nm -gP --defined-only "$(cuda_home)/../libsimt.a" 2>/dev/null | sed -n 's/^simt_\(cuda[A-Za-z0-9_]*\) [TW] .*/\1/p' | sort -u >functions
    [ "$(wc -l <functions)" -gt 250 ]
    for library in "$(cuda_home)/../libsimt.a" "-D $(cuda_home)/lib64/libcudart.so.13"; do
        # shellcheck disable=SC2086  # an option and a file
        nm -gP --defined-only $library 2>/dev/null | sed -n 's/^\(cuda[A-Za-z0-9_]*\) T .*/\1/p' | sort -u >names
        [ -z "$(comm -23 functions names)" ] || complain "without a name of CUDA's: $(comm -23 functions names | tr '\n' ' ')" || return
    done
}

@test "checked kernels check in a program that g++ links, with either library; others do not" {
    echo '__global__ void k(int* p) { p[threadIdx.x] = 1; } int main() { int* p; cudaMalloc(&p, 4); k<<<1, 2>>>(p); return cudaDeviceSynchronize() != 0; }' >past.cu
    simcc -G -c past.cu -o past.o
    simcc -c past.cu -o fast.o
    for library in -lcudart -lcudart_static; do
        g++ past.o -L"$(cuda_home)/lib64" $library -o past
        LD_LIBRARY_PATH=$(cuda_home)/lib64 capture ./past
        expect_status 86
        expect_errors_like "Invalid __global__ write of size 4 bytes" || return
    done
    g++ fast.o -L"$(cuda_home)/lib64" -lcudart -o fast
    LD_LIBRARY_PATH=$(cuda_home)/lib64 SIMCC_COUNTERS=1 capture ./fast
    expect_no_errors
}

# ---- a toolkit that is there or not

# A toolkit of which nothing compiles: whoever includes one of its headers by accident fails.
toolkit() {
    mkdir -p toolkit/include toolkit/lib64 toolkit/include/thrust
    for header in cuda_runtime.h cuda_runtime_api.h driver_types.h vector_types.h cuda_fp16.h cooperative_groups.h cuda.h crt/host_defines.h; do
        mkdir -p "toolkit/include/$(dirname "$header")"
        echo '#error a header of the toolkit' >"toolkit/include/$header"
    done
    echo '#define THRUST_VERSION 1' >toolkit/include/thrust/version.h
    echo 'int of_a_library();' | tee toolkit/include/cusparse.h toolkit/include/cudnn.h >toolkit/include/nvjpeg.h
    echo 'an archive of nothing' | tee toolkit/lib64/libcudart.so >toolkit/lib64/libcudart_static.a
}

@test "the simulator's headers and libraries come before a toolkit's, wherever that is named" {
    toolkit
    printf '#include <cuda.h>\n#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >x.cu
    for place in -Itoolkit/include "-isystem toolkit/include" "-isystem=toolkit/include"; do
        # shellcheck disable=SC2086  # words
        CUDA_HOME=$PWD/toolkit CPATH=$PWD/toolkit/include capture simcc $place x.cu -Ltoolkit/lib64 -lcudart -o x
        expect_status 0 || return
        expect_no_errors
    done
    ./x
    echo 'int main() { return 0; }' >main.cpp
    LIBRARY_PATH=$PWD/toolkit/lib64 capture simcc x.cu toolkit/lib64/libcudart_static.a -o x
    expect_status 0
    # What only the toolkit has is taken from it.
    printf '#include <thrust/version.h>\nint main() { return THRUST_VERSION - 1; }\n' >thrust.cu
    CUDA_HOME=$PWD/toolkit capture simcc -run thrust.cu
    expect_status 0
}

@test "a header of a library that the simulator lacks is refused on the line of the #include, in .cu, .cpp and .c files" {
    toolkit
    printf '#include <stdio.h>\n\n#  include <cusparse.h>\nint main(void) { return of_a_library(); }\n' | tee x.cu x.cpp >x.c
    for source in x.cu x.cpp x.c; do
        CUDA_HOME=$PWD/toolkit capture simcc -c $source
        expect_status 1
        grep -q "$source:3" <<<"$errors" || complain "expected the line" || return
        grep -q 'error: the simulator does not have cuSPARSE' <<<"$errors" || complain "$errors" || return
    done
    # A program's own header of that name is its own.
    mkdir own
    echo 'inline int of_a_library() { return 0; }' >own/cusparse.h
    CUDA_HOME=$PWD/toolkit capture simcc -Iown -run x.cu
    expect_status 0
    capture simcc x.cu "$PWD/lib64/libcusparse.so"
    expect_status 2
    expect_refusal simcc "libcusparse.so: the simulator does not have cuSPARSE"
}

@test "without a toolkit everything is there: headers, libraries and what CMake looks for" {
    need cmake
    unshare -Urm true 2>/dev/null || skip "this system allows no namespaces"
    # hidden COMMAND...: runs it where the toolkit's folders are empty.
    file hidden <<'SH'
for folder in /usr/local/cuda /usr/local/cuda-* /usr/local/include /usr/local/lib64 /usr/lib/cuda; do
    [ ! -d "$folder" ] || mount -t tmpfs none "$folder" || exit
done
[ -z "$(ls /usr/local/cuda/ 2>/dev/null)" ] || exit 99
unset CUDA_HOME CUDA_PATH LIBRARY_PATH CPATH
PATH=$(dirname "$(command -v simcc)"):/usr/bin:/bin exec "$@"
SH
    CUDACXX=$(command -v simcc) capture unshare -Urm bash hidden cmake -S "$sources" -B build
    expect_status 0
    capture unshare -Urm bash hidden cmake --build build --target in_c
    expect_status 0
    capture build/in_c
    expect_output "$in_c"
    printf '#include <cuda.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n#include <nccl.h>\n#include <cuda/atomic>\nint main() { return 0; }\n' >x.cu
    capture unshare -Urm bash hidden simcc -run x.cu
    expect_status 0
    printf '\n#include <cusparse.h>\n' >y.cu
    capture unshare -Urm bash hidden simcc -c y.cu
    expect_status 1
    expect_errors_like '^y\.cu:2:1: error: the simulator does not have cuSPARSE'
}

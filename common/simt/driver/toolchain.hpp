// SPDX-License-Identifier: MIT
// The commands of simcc: the compiler, its headers and its flags.
#pragma once

#include <string>
#include <vector>

#include "common/simt/driver/options.hpp"
#include "common/simt/driver/process.hpp"

namespace simcc {

/// Where the simulator's parts are, relative to the running simcc: installed as lib/gridutils beside bin, or in the
/// source tree.
struct Toolchain {
    Command compiler;          ///< that of -ccbin, or $CXX split at blanks, or g++
    std::string headers;       ///< the folder of cuda_runtime.h
    std::string library;       ///< libsimt.a
    std::string cuda_home;     ///< a folder with the form of a CUDA toolkit: bin/nvcc, include, lib64
    std::string cuda_headers;  ///< the toolkit's, for headers the simulator leaves to it (Thrust, curand_kernel.h); may
                               ///< be empty
};

/// Finds the parts. If the headers are missing, throws std::runtime_error naming the places searched.
Toolchain find_toolchain(const Options&);

/// What nvcc shows with -v ahead of its commands, as far as CMake reads it.
std::string settings_text(const Toolchain&);

/// Whether the compiler has the instrumentation that checked code needs: clang++ lacks it.
bool can_check(const Toolchain& toolchain);

/// The macros of the command line as a header to be included after cuda_runtime.h, so that -DN=1024 does not change an
/// N in there. Reserved names and macros that configure CUDA's headers are left out: preprocess_command() defines
/// those.
std::string late_definitions(const Options&);

/// g++ -E of a .cu file. `definitions` names the file with the late definitions. The dependency options are passed on,
/// with `object` as the default target.
Command preprocess_command(const Toolchain&, const Options&, const std::string& source, const std::string& definitions,
                           const std::string& object, const std::string& output);

/// g++ -fpreprocessed of a rewritten file: to an object, or to assembly for the checked simulator.
Command compile_command(const Toolchain&, const Options&, const std::string& rewritten, const std::string& output);

/// g++ -c of assembly.
Command assemble_command(const Toolchain&, const Options&, const std::string& assembly, const std::string& object);

/// g++ -c or -E of a .cpp or .c file, which may include cuda_runtime.h but has no CUDA syntax. `object` as above.
Command host_command(const Toolchain&, const Options&, const Input& source, const std::string& object,
                     const std::string& output);

/// g++ -E of such a file, to standard output, as far as the line markers show what is included.
Command includes_command(const Toolchain&, const Options&, const Input& source);

/// A list for the linker of a shared library: what the libraries of a program share is the simulator. A kernel, and what
/// surrounds it, reads variables of its own library, even if another library has a function of that name.
std::string shared_symbols(const Toolchain&);

/// Links `items` (objects, archives, -l and -L, in their order) to `output`.
Command link_command(const Toolchain&, const Options&, const std::vector<std::string>& items,
                     const std::string& output);

/// Links an object to a module: a shared library that uses the simulator of the program that loads it.
Command module_command(const Toolchain&, const Options&, const std::string& object, const std::string& output);

/// The file name of `path` with `suffix` instead of its own.
std::string renamed(const std::string& path, const std::string& suffix);

}  // namespace simcc

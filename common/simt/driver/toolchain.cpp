// SPDX-License-Identifier: MIT
#include "common/simt/driver/toolchain.hpp"

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simt/driver/foreign_headers.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"

namespace simcc {
namespace {

namespace fs = std::filesystem;

void append(Command& command, const Command& more) { command.insert(command.end(), more.begin(), more.end()); }

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The include folder of a CUDA toolkit, found by CUDA_HOME, CUDA_PATH, the nvcc in PATH or at the usual place.
/// It is not the simulator's own folder, `ours`.
std::string find_cuda_headers(const fs::path& ours) {
    std::vector<fs::path> roots;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (!environment(name).empty()) roots.emplace_back(environment(name));
    }
    std::istringstream path(environment("PATH"));
    for (std::string folder; std::getline(path, folder, ':');) {
        std::error_code error;
        const fs::path nvcc = fs::canonical(fs::path(folder) / "nvcc", error);
        if (!error) roots.push_back(nvcc.parent_path().parent_path());
    }
    roots.emplace_back("/usr/local/cuda");
    for (const fs::path& root : roots) {
        const fs::path headers = root / "include";
        if (is_cuda_folder(headers) && !fs::equivalent(headers, ours)) return headers;
    }
    return "";
}

/// Whether the headers included first must see a macro.
bool is_early(const Options& options, const std::string& definition) {
    if (options.dependencies.system_headers) return true;  // else the temporary file would be listed as a dependency
    for (const char* prefix : {"_", "CUDA", "THRUST", "CUB", "CCCL", "SIM", "NDEBUG"}) {
        if (definition.rfind(prefix, 0) == 0) return true;
    }
    return false;
}

bool is_definition(const std::string& flag) { return flag == "-D" || flag == "-U"; }

/// The header search options of the command line. A folder with its own cuda_runtime.h, such as the toolkit's, must not
/// hide ours, so it is searched after ours.
Command user_search(const Toolchain& toolchain, const Options& options) {
    Command flags, later;
    for (std::size_t i = 0; i + 1 < options.preprocessor.size(); i += 2) {
        const std::string &flag = options.preprocessor[i], &value = options.preprocessor[i + 1];
        if (flag == "-include" || is_definition(flag)) continue;
        const bool toolkit = is_cuda_folder(value) && !fs::equivalent(value, toolchain.headers);
        append(toolkit ? later : flags, {toolkit ? "-isystem" : flag, value});
    }
    // -I and not -isystem: a library's headers may contain kernels, and the rewriter leaves system headers alone.
    for (const std::string& folder : options.system_folders) {
        const bool toolkit = is_cuda_folder(folder);
        append(toolkit ? later : flags, {toolkit ? "-isystem" : "-I", folder});
    }
    append(flags, {"-isystem", toolchain.headers});
    append(flags, later);
    if (!toolchain.cuda_headers.empty()) {
        append(flags, {"-idirafter", toolchain.cuda_headers});
        const std::string cccl = toolchain.cuda_headers + "/cccl";  // where CUDA 13 keeps Thrust and cuda/std
        if (fs::exists(cccl)) append(flags, {"-idirafter", cccl});
    }
    return flags;
}

/// The -D, -U and -include options of the command line for which `wanted(flag, value)` is true.
template <typename Condition>
Command user_flags(const Options& options, Condition wanted) {
    Command flags;
    for (std::size_t i = 0; i + 1 < options.preprocessor.size(); i += 2) {
        const std::string &flag = options.preprocessor[i], &value = options.preprocessor[i + 1];
        if (wanted(flag, value)) append(flags, {flag, value});
    }
    return flags;
}

Command dependency_flags(const Dependencies& dependencies, const std::string& object) {
    if (!dependencies.wanted && !dependencies.only) return {};
    Command flags;
    if (dependencies.only) {
        flags.push_back(dependencies.system_headers ? "-M" : "-MM");
        if (!dependencies.file.empty()) append(flags, {"-MF", dependencies.file});
    } else {
        flags.push_back(dependencies.system_headers ? "-MD" : "-MMD");
        append(flags, {"-MF", dependencies.file.empty() ? fs::path(object).replace_extension(".d").string()
                                                        : dependencies.file});
    }
    append(flags, dependencies.targets.empty() ? Command{"-MQ", object} : dependencies.targets);
    if (dependencies.phony) flags.push_back("-MP");
    return flags;
}

/// Silences warnings about the rewritten text and nvcc's attributes, about narrowing in braces, which nvcc allows, and
/// the note that g++ 4.6 passed aligned types otherwise.
const Command quiet = {
    "-Wno-attributes",   "-Wno-unknown-pragmas",       "-Wno-narrowing", "-Wno-deprecated", "-Wno-volatile",
    "-Wno-unused-value", "-Wno-mismatched-new-delete", "-Wno-tsan",      "-Wno-psabi"};

/// clang++ does not know all of these warnings.
const Command quiet_clang = {"-Wno-unknown-warning-option", "-Wno-unused-command-line-argument"};

/// The instrumentation of the checked simulator: g++ inserts a call to __tsan_read4 or a relative before every load and
/// store, and a call to __sanitizer_cov_trace_pc into every basic block. (The names are ThreadSanitizer's; its library
/// is not linked, and the simulator defines them.) g++ also checks indices of arrays with known sizes. Optimizations
/// that merge two places of the source into one, or split one into two, are off. So are those that hide accesses, by
/// copying bytes inline instead of calling the functions that report it. Variables are not addressed relative to each
/// other, because with_red_zones() adds space between them. And functions are aligned, even below -O2: libbacktrace
/// merges the ranges of adjacent functions, and then misses the lines after one that two objects have.
Command instrumentation(const Options& options) {
    if (!is_instrumented(options)) return {};
    return {"-fsanitize=thread",
            "--param=tsan-instrument-func-entry-exit=0",
            "--param=tsan-distinguish-volatile=1",
            "-fsanitize-coverage=trace-pc",
            "-fsanitize=bounds",
            "-fno-optimize-sibling-calls",
            "-fno-crossjumping",
            "-fno-reorder-blocks",
            "-fno-reorder-blocks-and-partition",
            "-fno-thread-jumps",
            "-fno-tree-tail-merge",
            "-fno-ipa-icf",
            "-falign-functions=16",
            "-fno-builtin-memcpy",
            "-fno-builtin-memmove",
            "-fno-builtin-memset"};
}

/// At -O3, g++ makes several copies of a loop, which would count as several places.
std::string optimization(const Options& options) {
    const bool too_much = options.optimization == "-O3" || options.optimization == "-Ofast";
    return is_instrumented(options) && too_much ? "-O2" : options.optimization;
}

/// Whether the compiler is clang++, whatever its name.
bool is_clang(const Toolchain& toolchain) {
    Command question = toolchain.compiler;
    question.push_back("--version");
    return output_of(question, Complaint::none).find("clang version") != std::string::npos;
}

/// (A function with more than a page of variables on the stack touches every page, so that it hits the guard page.)
Command plain_code_generation(const Options& options) {
    return {optimization(options), options.debug, "-fno-strict-aliasing", "-fstack-clash-protection"};
}

/// The behavior of device code where C++ leaves it open: signed integers wrap, accesses through null pointers fail, and
/// nothing is contracted to fused multiply-adds, so that results are the same on every processor.
const Command device_semantics = {"-fwrapv", "-fno-delete-null-pointer-checks", "-ffp-contract=off"};

/// For g++ only: clang++ does this by default, or does not know the option.
const char* const gcc_device_semantics = "-fno-isolate-erroneous-paths-dereference";
/// On AArch64, g++ assumes pages of 64 KiB by default; a guard page may be as small as 2^12 bytes.
const char* const gcc_page_bytes = "--param=stack-clash-protection-guard-size=12";
const char* const gcc_cxx_only = "-fno-extern-tls-init";
/// On AArch64, g++ would address blockIdx and its relatives relative to another variable of their file, instead of by
/// their names, which all files share.
const char* const gcc_names = "-fno-section-anchors";

Command code_generation(const Options& options, bool clang) {
    Command flags = plain_code_generation(options);
    append(flags, device_semantics);
    if (options.stage == Stage::module) flags.emplace_back("-fPIC");
    if (options.stage == Stage::module && !clang) flags.emplace_back("-fno-gnu-unique");
    if (!clang) append(flags, {gcc_device_semantics, gcc_page_bytes, gcc_cxx_only, gcc_names});
    append(flags, instrumentation(options));
    return flags;
}

// ---- macros of nvcc

/// The architectures without suffixes, each once, in order: 750,900.
std::string architecture_list(const Options& options) {
    std::set<unsigned> numbers;
    for (const std::string& name : options.architectures) numbers.insert(10 * static_cast<unsigned>(std::stoul(name)));
    if (numbers.empty()) numbers.insert(options.cuda_arch);
    std::string list;
    for (const unsigned number : numbers) list += (list.empty() ? "" : ",") + std::to_string(number);
    return list;
}

/// What nvcc, of the CUDA version of our headers, defines in every source.
Command macros_of_nvcc(const Options& options) {
    return {"-D__NVCC__=1",
            "-D__CUDACC_VER_MAJOR__=13",
            "-D__CUDACC_VER_MINOR__=0",
            "-D__CUDACC_VER_BUILD__=88",
            "-D__CUDA_API_VER_MAJOR__=13",
            "-D__CUDA_API_VER_MINOR__=0",
            "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
            "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1",
            "-D__CUDA_ARCH_LIST__=" + architecture_list(options)};
}

/// What it defines in .cu files, according to the options.
Command macros_of_device_code(const Options& options) {
    Command macros = {"-D__CUDACC__=1", "-D__SIMCC__=1"};
    if (options.device_debug) macros.emplace_back("-D__CUDACC_DEBUG__=1");
    if (options.relocatable) macros.emplace_back("-D__CUDACC_RDC__=1");
    for (const std::string& macro : options.own_macros) macros.push_back("-D" + macro + "=1");
    if (options.cuda_arch == 0) return macros;  // as the host sees it
    const std::string number = std::to_string(options.cuda_arch);
    macros.push_back("-D__CUDA_ARCH__=" + number);
    const char suffix = options.architectures.empty() ? ' ' : options.architectures.back().back();
    if (suffix == 'a' || suffix == 'f') macros.push_back("-D__CUDA_ARCH_FAMILY_SPECIFIC__=" + number);
    if (suffix == 'a') {
        macros.push_back("-D__CUDA_ARCH_SPECIFIC__=" + number);
        macros.push_back("-D__CUDA_ARCH_FEAT_SM" + number.substr(0, number.size() - 1) + "_ALL=1");
    }
    return macros;
}

/// The compiler that -ccbin means: g++ for gcc, as nvcc links with it. Empty if there is none, as with the compilers of
/// old makefiles, or if it is not one of GCC or LLVM.
std::string cxx_compiler(const std::string& host_compiler) {
    if (host_compiler.empty()) return "";
    fs::path path = host_compiler;
    if (fs::is_directory(path)) path /= "g++";
    std::string name = path.filename().string();
    for (const auto& [c, cxx] : {std::pair{"gcc", "g++"}, std::pair{"clang", "clang++"}}) {
        const std::size_t at = name.find(c), end = at + std::string_view(c).size();
        if (at != name.npos && (end == name.size() || name[end] == '-')) name.replace(at, end - at, cxx);
    }
    const bool is_known = name.find("++") != name.npos || name.rfind("mpi", 0) == 0;
    if (!is_known) return "";
    path.replace_filename(name);
    if (path.has_parent_path()) return fs::exists(path) ? path.string() : "";
    std::istringstream folders(environment("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (fs::exists(fs::path(folder) / name)) return name;
    }
    return "";
}

/// Where the linker finds the simulator, ahead of all other folders: also in a toolkit there is a libcudart_static.a.
Command library_folders(const Toolchain& toolchain) {
    return {"-L" + toolchain.cuda_home + "/lib64/stubs", "-L" + toolchain.cuda_home + "/lib64"};
}

}  // namespace

std::string settings_text(const Toolchain& toolchain) {
    const std::string& top = toolchain.cuda_home;
    return "#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_=" + top + "/bin\n#$ _THERE_=" + top +
           "/bin\n#$ _TARGET_SIZE_=\n#$ _TARGET_DIR_=\n#$ TOP=" + top + "\n#$ NVVMIR_LIBRARY_DIR=" + top +
           "/nvvm/libdevice\n#$ PATH=" + environment("PATH") + "\n#$ INCLUDES=" + quoted({"-I" + top + "/include"}) +
           "\n#$ LIBRARIES=" + quoted(library_folders(toolchain)) + "\n";
}

Toolchain find_toolchain(const Options& options) {
    Toolchain toolchain;
    std::istringstream words(environment("CXX"));
    for (std::string word; words >> word;) toolchain.compiler.push_back(word);
    if (toolchain.compiler.empty()) toolchain.compiler = {"g++"};
    if (const std::string name = cxx_compiler(options.host_compiler); !name.empty()) toolchain.compiler = {name};

    const fs::path library = fs::canonical("/proc/self/exe").parent_path().parent_path() / "lib/gridutils";
    const fs::path headers = library / "include";
    if (!fs::exists(headers / "cuda_runtime.h"))
        throw std::runtime_error("the simulator's headers are not in " + headers.string() +
                                 "; install gridutils, or run make");
    toolchain.headers = fs::canonical(headers);  // in the source tree it is a link, and g++ names the files themselves
    toolchain.library = library / "libsimt.a";
    toolchain.cuda_home = library / "cuda";
    toolchain.cuda_headers = find_cuda_headers(toolchain.headers);
    return toolchain;
}

bool can_check(const Toolchain& toolchain) { return !is_clang(toolchain); }

std::string late_definitions(const Options& options) {
    std::string text;
    const Command flags = user_flags(options, [&](const std::string& flag, const std::string& value) {
        return is_definition(flag) && !is_early(options, value);
    });
    for (std::size_t i = 0; i < flags.size(); i += 2) {
        const std::string& definition = flags[i + 1];
        const std::size_t equals = definition.find('=');
        const std::string name = definition.substr(0, equals);
        if (flags[i] == "-U") {
            text += "#undef " + name + "\n";
        } else {
            text +=
                "#define " + name + " " + (equals == std::string::npos ? "1" : definition.substr(equals + 1)) + "\n";
        }
    }
    return text;
}

Command preprocess_command(const Toolchain& toolchain, const Options& options, const std::string& source,
                           const std::string& definitions, const std::string& object, const std::string& output) {
    Command command = toolchain.compiler;
    append(command, {"-E", options.standard, optimization(options)});
    append(command, options.compiler);
    if (options.stage == Stage::module) command.emplace_back("-fPIC");  // decides how __shared__ variables are found
    append(command, dependency_flags(options.dependencies, object));
    for (const std::string_view word : qualifiers) {
        command.push_back("-D" + std::string(word) + "=" + std::string(word));  // so that the rewriter finds it
    }
    if (is_instrumented(options)) command.push_back("-DSIMT_CHECKED=1");
    if (options.checked) command.push_back("-DSIMT_WANTS_CHECKS=1");
    if (options.lanes == Lanes::lockstep) command.push_back("-DSIMT_WANTS_LOCKSTEP=1");
    append(command, macros_of_nvcc(options));
    append(command, macros_of_device_code(options));
    append(command, user_flags(options, [&](const std::string& flag, const std::string& value) {
               return is_definition(flag) && is_early(options, value);
           }));
    // Some systems define this by default. Then the C library's headers turn memcpy() and its relatives into forms that
    // g++ expands inline, which bypasses the functions that report accesses.
    if (is_instrumented(options)) command.push_back("-U_FORTIFY_SOURCE");
    append(command, user_search(toolchain, options));
    append(command, {"-include", "cuda_runtime.h"});
    if (!options.dependencies.system_headers) {  // a system folder keeps the temporary file out of the others
        append(command,
               {"-isystem", fs::path(definitions).parent_path(), "-include", fs::path(definitions).filename()});
    }
    append(command,
           user_flags(options, [](const std::string& flag, const std::string&) { return flag == "-include"; }));
    append(command, {"-x", "c++", source});
    if (!output.empty()) append(command, {"-o", output});
    return command;
}

Command compile_command(const Toolchain& toolchain, const Options& options, const std::string& rewritten,
                        const std::string& output) {
    const bool clang = is_clang(toolchain);
    if (clang && is_instrumented(options)) {
        throw std::runtime_error("--check, -G and --schedule lockstep need the instrumentation of g++, but " +
                                 quoted(toolchain.compiler) + " is clang++; set CXX=g++, or leave the option out");
    }
    Command command = toolchain.compiler;
    command.push_back(options.standard);
    if (!clang) command.push_back("-fpreprocessed");
    append(command, code_generation(options, clang));
    append(command, options.compiler);
    append(command, quiet);
    if (clang) append(command, quiet_clang);
    if (is_instrumented(options)) command.push_back("-dA");  // comments for places.cpp
    append(command,
           {"-x", clang ? "c++-cpp-output" : "c++", is_instrumented(options) ? "-S" : "-c", rewritten, "-o", output});
    return command;
}

Command assemble_command(const Toolchain& toolchain, const Options& options, const std::string& assembly,
                         const std::string& object) {
    Command command = toolchain.compiler;
    append(command, options.compiler);
    append(command, {"-c", assembly, "-o", object});
    return command;
}

Command host_command(const Toolchain& toolchain, const Options& options, const Input& source, const std::string& object,
                     const std::string& output) {
    Command command = toolchain.compiler;
    if (source.language == Language::cxx) {
        command.push_back(options.standard);
        if (!is_clang(toolchain)) command.push_back(gcc_cxx_only);
    }
    append(command, plain_code_generation(options));
    append(command, options.compiler);
    append(command, dependency_flags(options.dependencies, object));
    append(command, macros_of_nvcc(options));
    append(command, user_flags(options, [](const std::string& flag, const std::string&) { return flag != "-I"; }));
    append(command, user_search(toolchain, options));
    append(command, {"-x", source.language == Language::c ? "c" : "c++",
                     options.stage == Stage::preprocess ? "-E" : "-c", source.text});
    if (!output.empty()) append(command, {"-o", output});
    return command;
}

Command includes_command(const Toolchain& toolchain, const Options& options, const Input& source) {
    Options preprocessing = options;
    preprocessing.stage = Stage::preprocess;
    preprocessing.dependencies = {};
    Command command = host_command(toolchain, preprocessing, source, "", "");
    if (!is_clang(toolchain)) command.push_back("-fdirectives-only");
    return command;
}

std::string shared_symbols(const Toolchain& toolchain) {
    Command question = toolchain.compiler;
    question.push_back("-print-prog-name=nm");
    // (nm complains about members without symbols, such as libbacktrace has.)
    const Command quiet_nm = {"sh",
                              "-c",
                              "exec \"$0\" \"$@\" 2>/dev/null",
                              output_of(question),
                              "-P",
                              "-g",
                              "--defined-only",
                              toolchain.library};
    std::istringstream symbols(output_of(quiet_nm));
    std::string list = "{\n";
    for (std::string line; std::getline(symbols, line);) {
        std::istringstream words(line);
        std::string name, kind;
        // (The weak ones are templates and inline functions.)
        if (words >> name >> kind && (kind == "T" || kind == "D" || kind == "B")) list += name + ";\n";
    }
    return list + "};\n";
}

Command link_command(const Toolchain& toolchain, const Options& options, const std::vector<std::string>& items,
                     const std::string& output) {
    if (options.runtime && !fs::exists(toolchain.library))
        throw std::runtime_error(toolchain.library + ": the simulator's library is missing; run make");
    Command command = toolchain.compiler;
    append(command, options.compiler);
    append(command, library_folders(toolchain));
    append(command, options.linker);
    append(command, items);
    if (options.runtime) append(command, {"-lcudadevrt", "-lcudart_static"});
    append(command, {"-o", output});
    return command;
}

Command module_command(const Toolchain& toolchain, const Options& options, const std::string& object,
                       const std::string& output) {
    Command command = toolchain.compiler;
    append(command, options.compiler);
    append(command, {"-shared", "-Wl,-Bsymbolic", object, "-o", output});
    return command;
}

std::string renamed(const std::string& path, const std::string& suffix) {
    return fs::path(path).stem().string() + suffix;
}

}  // namespace simcc

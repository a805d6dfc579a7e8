// SPDX-License-Identifier: MIT
// NVRTC: simcc makes a module of the program's text, in a temporary folder that is gone when the call returns.
#include "common/simt/include/nvrtc.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common/simt/modules/module_text.hpp"

// simcc tells the programs that it links with -lnvrtc where it is.
extern "C" __attribute__((weak)) const char* const simt_compiler_path;
// Programs with checked kernels have it.
extern "C" __attribute__((weak)) int simt_check_autostart;

namespace fs = std::filesystem;

struct _nvrtcProgram {
    std::string source, name;
    std::vector<std::pair<std::string, std::string>> headers;  // names and texts
    std::vector<std::string> expressions;
    std::map<std::string, std::string> lowered;  // the symbols behind the expressions
    std::string log, image;
    bool is_compiled = false;
};

namespace {

// ---- finding simcc

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

/// simcc as the variable SIMCC names it, where it was when it linked the program, beside the simulator's library, or in
/// PATH; empty if it is nowhere.
std::string find_compiler() {
    if (const char* const named = std::getenv("SIMCC"); named && *named) return named;
    if (&simt_compiler_path && is_program(simt_compiler_path)) return simt_compiler_path;
    Dl_info library;
    std::error_code error;
    if (dladdr(reinterpret_cast<const void*>(&nvrtcCompileProgram), &library) && library.dli_fname) {
        fs::path folder = fs::canonical(library.dli_fname, error).parent_path();
        for (int up = 0; up < 4 && !error; ++up, folder = folder.parent_path()) {
            if (is_program(folder / "bin/simcc")) return folder / "bin/simcc";
        }
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (is_program(fs::path(folder) / "simcc")) return fs::path(folder) / "simcc";
    }
    return "";
}

// ---- options

/// Options that only concern a GPU's code, or that every program here has.
bool is_ignored(std::string_view name) {
    static constexpr std::string_view ignored[] = {"rdc",
                                                   "relocatable-device-code",
                                                   "lineinfo",
                                                   "generate-line-info",
                                                   "maxrregcount",
                                                   "ftz",
                                                   "prec-sqrt",
                                                   "prec-div",
                                                   "fmad",
                                                   "use_fast_math",
                                                   "extra-device-vectorization",
                                                   "modify-stack-limit",
                                                   "dlink-time-opt",
                                                   "dlto",
                                                   "gen-opt-lto",
                                                   "optix-ir",
                                                   "jump-table-density",
                                                   "jtd",
                                                   "device-stack-protector",
                                                   "restrict",
                                                   "default-device",
                                                   "device-as-default-execution-space",
                                                   "device-int128",
                                                   "device-float128",
                                                   "optimization-info",
                                                   "opt-info",
                                                   "version-ident",
                                                   "dQ",
                                                   "display-error-number",
                                                   "err-no",
                                                   "no-display-error-number",
                                                   "diag-error",
                                                   "diag-suppress",
                                                   "diag-warn",
                                                   "ewp",
                                                   "Xptxas",
                                                   "ptxas-options",
                                                   "dopt",
                                                   "Ofast-compile",
                                                   "Ofc",
                                                   "split-compile",
                                                   "brief-diagnostics",
                                                   "brief-diag",
                                                   "time",
                                                   "minimal",
                                                   "no-cache",
                                                   "random-seed",
                                                   "frandom-seed",
                                                   "builtin-move-forward",
                                                   "builtin-initializer-list",
                                                   "pch",
                                                   "no-source-include",
                                                   "static-device-libs",
                                                   "extended-lambda",
                                                   "G",
                                                   "device-debug",
                                                   "fdevice-syntax-only",
                                                   "use-local-env",
                                                   "std"};
    return std::find(std::begin(ignored), std::end(ignored), name) != std::end(ignored);
}

/// Options with a value that simcc has, too: their names there.
const char* name_in_simcc(std::string_view name) {
    static constexpr std::pair<std::string_view, const char*> known[] = {
        {"gpu-architecture", "-arch"}, {"arch", "-arch"},
        {"include-path", "-I"},        {"I", "-I"},
        {"define-macro", "-D"},        {"D", "-D"},
        {"undefine-macro", "-U"},      {"U", "-U"},
        {"pre-include", "-include"},   {"include", "-include"},
    };
    for (const auto& [one, other] : known) {
        if (one == name) return other;
    }
    return nullptr;
}

/// simcc's arguments for NVRTC's options. Returns the first that NVRTC does not know, or an empty string.
std::string read_options(int count, const char* const* options, std::vector<std::string>& arguments) {
    for (int i = 0; i < count; ++i) {
        const std::string option = options[i] ? options[i] : "";
        const size_t dashes = std::min(option.find_first_not_of('-'), option.size());
        if (dashes == 0 || dashes > 2) return option.empty() ? "''" : option;
        const size_t equals = option.find_first_of("= ");
        std::string name = option.substr(dashes, equals - dashes);
        std::string value = equals == option.npos ? "" : option.substr(option.find_first_not_of("= ", equals));
        const bool is_joined = dashes == 1 && name.size() > 1 && (name[0] == 'I' || name[0] == 'D' || name[0] == 'U');
        if (is_joined) value = option.substr(2), name = option.substr(1, 1);
        if (name == "std") {
            arguments.push_back("-std=" + value);
        } else if (name == "w" || name == "disable-warnings") {
            arguments.emplace_back("-w");
        } else if (const char* const known = name_in_simcc(name)) {
            if (value.empty() && i + 1 < count) value = options[++i];
            arguments.insert(arguments.end(), {known, value});
        } else if (is_ignored(name)) {
            const bool has_value_behind = equals == option.npos && i + 1 < count && options[i + 1][0] != '-';
            if (has_value_behind) ++i;
        } else {
            return option;
        }
    }
    return "";
}

// ---- files

class Folder {
public:
    Folder() {
        const char* const place = std::getenv("TMPDIR");
        std::string name = std::string(place && *place ? place : "/tmp") + "/nvrtc-XXXXXX";
        if (mkdtemp(name.data())) path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const fs::path& path() const { return path_; }

    /// Writes a file, and the folders in its name. False if that fails, or if it would lie outside.
    bool write(const std::string& name, const std::string& text) const {
        const fs::path relative = fs::path(name).lexically_normal();
        if (relative.is_absolute() || *relative.begin() == "..") return false;
        std::error_code error;
        fs::create_directories((path_ / relative).parent_path(), error);
        std::ofstream file(path_ / relative, std::ios::binary);
        file << text;
        return static_cast<bool>(file.flush());
    }

    std::string read(const std::string& name) const {
        std::ifstream file(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    fs::path path_;
};

/// Runs a program with both outputs in one file, and waits. Its status; -1 if it cannot be started.
int run(const std::vector<std::string>& command, const fs::path& output) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = -1;
    const int error = posix_spawn(&child, words[0], &files, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string without(std::string text, const std::string& part) {
    for (size_t at = 0; (at = text.find(part, at)) != text.npos;) text.erase(at, part.size());
    return text;
}

// ---- name expressions

// Each is the value of a variable of the module, which holds an address. The module's own relocations say which, and its
// symbols what is there.

std::string variable_of(size_t expression) { return "simt_expression_" + std::to_string(expression); }

std::string text_of(const std::vector<std::string>& expressions) {
    std::string text = "\n";
    for (size_t i = 0; i < expressions.size(); ++i) {
        text += "#line 1 \"name expression " + std::to_string(i) + "\"\n";
        text += "extern \"C\" { __attribute__((used)) auto " + variable_of(i) + " = (" + expressions[i] + "); }\n";
        text +=
            "static const ::simt::ModuleAddress<(" + expressions[i] + ")> simt_address_" + std::to_string(i) + ";\n";
    }
    return text;
}

class Image {
public:
    explicit Image(const std::string& bytes) : bytes_(bytes) {
        const auto header = at<ElfW(Ehdr)>(0);
        for (unsigned i = 0; i < header.e_shnum; ++i)
            sections_.push_back(at<ElfW(Shdr)>(header.e_shoff + size_t{i} * header.e_shentsize));
        for (const auto& section : sections_) {
            if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections_.size()) continue;
            const size_t names = sections_[section.sh_link].sh_offset;
            for (size_t i = 0; i < section.sh_size / sizeof(ElfW(Sym)); ++i) {
                const auto symbol = at<ElfW(Sym)>(section.sh_offset + i * sizeof(ElfW(Sym)));
                symbols_.push_back({bytes_.c_str() + std::min(names + symbol.st_name, bytes_.size()), symbol.st_value});
            }
        }
    }

    /// The symbol whose address the variable holds; empty if there is none.
    std::string pointed_by(const std::string& variable) const {
        const auto held = std::find_if(symbols_.begin(), symbols_.end(),
                                       [&](const Symbol& symbol) { return variable == symbol.name; });
        if (held == symbols_.end()) return "";
        for (const auto& section : sections_) {
            if (section.sh_type != SHT_RELA) continue;
            for (size_t i = 0; i < section.sh_size / sizeof(ElfW(Rela)); ++i) {
                const auto relocation = at<ElfW(Rela)>(section.sh_offset + i * sizeof(ElfW(Rela)));
                if (relocation.r_offset != held->value) continue;
                const size_t symbol = ELF64_R_SYM(relocation.r_info);
                if (symbol != 0 && symbol < symbols_.size()) return symbols_[symbol].name;
                return named(static_cast<uintptr_t>(relocation.r_addend));
            }
        }
        return "";
    }

private:
    struct Symbol {
        const char* name;
        uintptr_t value;
    };

    template <typename T>
    T at(size_t offset) const {
        T value = {};
        if (offset + sizeof(T) <= bytes_.size()) std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }

    std::string named(uintptr_t address) const {
        for (const Symbol& symbol : symbols_) {
            if (symbol.value == address && *symbol.name) return symbol.name;
        }
        return "";
    }

    const std::string& bytes_;
    std::vector<ElfW(Shdr)> sections_;
    std::vector<Symbol> symbols_;
};

nvrtcResult give(const std::string& text, size_t bytes, char* to) {
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    std::memcpy(to, text.c_str(), bytes);
    return NVRTC_SUCCESS;
}

}  // namespace

// ---- the functions

const char* nvrtcGetErrorString(nvrtcResult result) {
    static constexpr const char* names[] = {"NVRTC_SUCCESS",
                                            "NVRTC_ERROR_OUT_OF_MEMORY",
                                            "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                            "NVRTC_ERROR_INVALID_INPUT",
                                            "NVRTC_ERROR_INVALID_PROGRAM",
                                            "NVRTC_ERROR_INVALID_OPTION",
                                            "NVRTC_ERROR_COMPILATION",
                                            "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                            "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                            "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                            "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                            "NVRTC_ERROR_INTERNAL_ERROR",
                                            "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                            "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                            "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                            "NVRTC_ERROR_PCH_CREATE",
                                            "NVRTC_ERROR_CANCELLED",
                                            "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED"};
    const auto number = static_cast<unsigned>(result);
    return number < std::size(names) ? names[number] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    *major = 13, *minor = 0;
    return NVRTC_SUCCESS;
}

static constexpr int architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = static_cast<int>(std::size(architectures));
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* supported) {
    if (!supported) return NVRTC_ERROR_INVALID_INPUT;
    std::copy(std::begin(architectures), std::end(architectures), supported);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int header_count,
                               const char* const* headers, const char* const* header_names) {
    if (!program || !source || header_count < 0 || (header_count > 0 && (!headers || !header_names)))
        return NVRTC_ERROR_INVALID_INPUT;
    auto* const created = new _nvrtcProgram;
    created->source = source;
    created->name = name && *name ? name : "default_program";
    for (int i = 0; i < header_count; ++i) created->headers.emplace_back(header_names[i], headers[i]);
    *program = created;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (option_count < 0 || (option_count > 0 && !options)) return NVRTC_ERROR_INVALID_INPUT;
    program->is_compiled = false;
    program->log = program->image = "";
    std::vector<std::string> command = {find_compiler(), "-cubin", "-progress=never", "-D__CUDACC_RTC__=1"};
    if (const std::string unknown = read_options(option_count, options, command); !unknown.empty()) {
        program->log = "nvrtc: error: unrecognized option " + unknown + " found\n";
        return NVRTC_ERROR_INVALID_OPTION;
    }
    if (!is_program(command[0])) {
        program->log = "NVRTC needs simcc, which is not in PATH; the variable SIMCC may name it\n";
        std::fprintf(stderr, "simcc: %s", program->log.c_str());
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (&simt_check_autostart != nullptr) command.emplace_back("-G");
    const Folder folder;
    std::string name = fs::path(program->name).filename();
    if (name.empty()) name = "default_program";
    bool is_written = !folder.path().empty();
    for (const auto& [header, text] : program->headers) is_written = is_written && folder.write(header, text);
    is_written = is_written && folder.write(name, program->source + text_of(program->expressions));
    if (!is_written) {
        program->log = "nvrtc: error: the source and its headers cannot be written to a temporary folder\n";
        return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    }
    const std::string module = folder.path() / "simcc_module.cubin";
    // Messages, and __FILE__, have the name that the program gave.
    command.insert(command.end(), {"-Xcompiler", "-ffile-prefix-map=" + folder.path().string() + "/="});
    const fs::path source_folder = fs::path(program->name).parent_path();
    command.insert(command.end(),
                   {"-I", folder.path(), "-I", source_folder.empty() ? "." : source_folder.string(), "-include",
                    "stdio.h", "-include", "assert.h", "-x", "cu", folder.path() / name, "-o", module});
    // (printf() and assert() are built in there.)
    const int status = run(command, folder.path() / "simcc_log");
    program->log = without(folder.read("simcc_log"), folder.path().string() + "/");
    if (status != 0) {
        if (program->log.empty()) program->log = command[0] + " cannot be run\n";
        return NVRTC_ERROR_COMPILATION;
    }
    program->image = folder.read("simcc_module.cubin");
    const Image image(program->image);
    for (size_t i = 0; i < program->expressions.size(); ++i)
        program->lowered[program->expressions[i]] = image.pointed_by(variable_of(i));
    program->is_compiled = true;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = program->log.size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    return give(program->log, program->log.size() + 1, log);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
    if (!program || !program->is_compiled) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = program->image.size();
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
    if (!program || !program->is_compiled) return NVRTC_ERROR_INVALID_PROGRAM;
    return give(program->image, program->image.size(), image);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes) {
    if (!program || !program->is_compiled) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = module_text_of(program->image).size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* image) {
    if (!program || !program->is_compiled) return NVRTC_ERROR_INVALID_PROGRAM;
    const std::string text = module_text_of(program->image);
    return give(text, text.size() + 1, image);
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    if (program->is_compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    auto& known = program->expressions;
    if (std::find(known.begin(), known.end(), expression) == known.end()) known.emplace_back(expression);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
    if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name) return NVRTC_ERROR_INVALID_INPUT;
    if (!program->is_compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const auto found = program->lowered.find(expression);
    if (found == program->lowered.end() || found->second.empty()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = found->second.c_str();
    return NVRTC_SUCCESS;
}

// SPDX-License-Identifier: MIT
#include "common/simt/driver/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include "common/io/process.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "common/simt/driver/libraries.hpp"

namespace simcc {

// ---- the table

namespace {

using List = std::vector<std::string>;

void extend(List& list, const List& more) { list.insert(list.end(), more.begin(), more.end()); }

/// Splits `text` at commas and blanks. As in a shell, quotes and a backslash protect separators, and an empty pair of
/// quotes is an empty part. (nvcc passes the text to a shell, with blanks instead of commas.)
List split(const std::string& text) {
    List parts;
    bool open = false;  // a part has begun
    char quote = 0;     // the open one
    const auto add = [&](char c) {
        if (!std::exchange(open, true)) parts.emplace_back();
        parts.back() += c;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
            if (!std::exchange(open, true)) parts.emplace_back();
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            add(text[++i]);
        } else if (quote == 0 && (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0)) {
            open = false;
        } else {
            add(c);
        }
    }
    if (quote != 0) throw UsageError("'" + text + "': a quote is not closed");
    return parts;
}

// ---- files of options

/// The words of an options file. As for nvcc, blanks and newlines separate, double quotes and backslashes protect.
List words_of(const std::string& text, const std::string& name) {
    List words;
    bool open = false, quoted = false;  // a word, or a quote in it
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool separates = !quoted && std::isspace(static_cast<unsigned char>(text[i])) != 0;
        if (!separates && !std::exchange(open, true)) words.emplace_back();
        if (separates) {
            open = false;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else {
            if (text[i] == '\\' && i + 1 < text.size()) ++i;
            words.back() += text[i];
        }
    }
    if (quoted) throw UsageError("options file '" + name + "': a quote is not closed");
    return words;
}

std::string read_options_file(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    const bool is_folder = std::filesystem::is_directory(name);
    if (!file.is_open() || is_folder) {
        throw UsageError("options file '" + name + "' cannot be read: " + std::strerror(is_folder ? EISDIR : errno));
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The arguments with the contents of options files in the place of their options, or of @file; files may name others.
List with_options_files(const List& arguments, unsigned depth = 0) {
    constexpr unsigned most_depth = 32;
    List expanded;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::size_t equals = arguments[i].find('=');
        const std::string name = arguments[i].substr(0, equals);
        if (arguments[i][0] == '@') {
            if (depth == most_depth) throw UsageError(name + ": options files that name each other without end");
            const std::string file = arguments[i].substr(1);
            extend(expanded, with_options_files(words_of(read_options_file(file), file), depth + 1));
            continue;
        }
        if (name != "-optf" && name != "--optf" && name != "-options-file" && name != "--options-file") {
            expanded.push_back(arguments[i]);
            continue;
        }
        if (depth == most_depth) throw UsageError(name + ": options files that name each other without end");
        if (equals == std::string::npos && i + 1 == arguments.size()) throw UsageError(name + ": a value is missing");
        const std::string names = equals == std::string::npos ? arguments[++i] : arguments[i].substr(equals + 1);
        for (const std::string& file : split(names))
            extend(expanded, with_options_files(words_of(read_options_file(file), file), depth + 1));
    }
    return expanded;
}

// ---- the actions of the rows
void ignore(Options&, const std::string&) {}

// Shared or static: there is only a static one.
void set_runtime(Options& options, const std::string& value) {
    if (value != "none" && value != "shared" && value != "static")
        throw UsageError("-cudart " + value + ": not none, shared or static");
    options.runtime = value != "none";
}
void set_output(Options& o, const std::string& value) { o.output = value; }
void set_output_folder(Options& o, const std::string& value) { o.output_folder = value; }
void set_optimization(Options& o, const std::string& value) { o.optimization = "-O" + value; }
void check(Options& o, const std::string&) { o.device_debug = o.checked = true; }
void set_debug(Options& o, const std::string&) { o.debug = "-g"; }
void add_run_arguments(Options& o, const std::string& value) { extend(o.run_arguments, split(value)); }
void add_include_folder(Options& o, const std::string& value) { extend(o.preprocessor, {"-I", value}); }
void add_definition(Options& o, const std::string& value) { extend(o.preprocessor, {"-D", value}); }
void remove_definition(Options& o, const std::string& value) { extend(o.preprocessor, {"-U", value}); }
void add_first_header(Options& o, const std::string& value) { extend(o.preprocessor, {"-include", value}); }
void add_system_folder(Options& o, const std::string& value) { o.system_folders.push_back(value); }
void add_library_folder(Options& o, const std::string& value) {
    o.inputs.push_back({Language::link_item, "-L" + value});
}
void add_compiler_options(Options& o, const std::string& value) { extend(o.compiler, split(value)); }
/// nvcc's option names kinds of warnings. The only one that exists for g++ is all-warnings.
void make_errors_of_warnings(Options& o, const std::string& kinds) {
    for (const std::string& kind : split(kinds)) {
        if (kind == "all-warnings") o.compiler.push_back("-Werror");
    }
}
void warn_of_order(Options& o, const std::string&) { o.compiler.push_back("-Wreorder"); }
void allow_deprecated(Options& o, const std::string&) { o.compiler.push_back("-Wno-deprecated-declarations"); }
void disable_exceptions(Options& o, const std::string&) { o.compiler.push_back("-fno-exceptions"); }
void set_template_depth(Options& o, const std::string& value) { o.compiler.push_back("-ftemplate-depth=" + value); }
void set_jobs(Options& o, const std::string& value) {
    const bool is_number = !value.empty() && value.size() < 5 && value.find_first_not_of("0123456789") == value.npos;
    if (!is_number) throw UsageError("'" + value + "' is not a number of files to compile at once");
    o.jobs = static_cast<unsigned>(std::stoul(value));
    if (o.jobs == 0) o.jobs = std::max(1u, std::thread::hardware_concurrency());
}
void set_random_seed(Options& o, const std::string& value) { o.compiler.push_back("-frandom-seed=" + value); }
void disable_warnings(Options& o, const std::string&) { o.no_warnings = true, o.compiler.push_back("-w"); }
/// (The simulator's threads go on after dlclose(), so the library must stay.)
void make_shared(Options& o, const std::string&) {
    o.shared = true;
    extend(o.linker, {"-shared", "-Wl,-z,nodelete"}), o.compiler.push_back("-fPIC");
}
void set_lanes(Options& o, const std::string& schedule) {
    if (schedule != "independent" && schedule != "lockstep")
        throw UsageError("--schedule '" + schedule +
                         "' is not independent or lockstep; SIMCC_SCHEDULE knows more for programs of -G");
    o.lanes = schedule == "lockstep" ? Lanes::lockstep : Lanes::independent;
}
void set_dependency_file(Options& o, const std::string& value) { o.dependencies.file = value; }
void add_target(Options& o, const std::string& value) { extend(o.dependencies.targets, {"-MT", value}); }
void add_quoted_target(Options& o, const std::string& value) { extend(o.dependencies.targets, {"-MQ", value}); }
void add_phony_targets(Options& o, const std::string&) { o.dependencies.phony = true; }
void show_progress(Options& o, const std::string& when) {
    if (when != "auto" && when != "always" && when != "never")
        throw UsageError("--progress '" + when + "' is not one of auto, always, never");
    o.progress = when == "always" ? ShowSteps::always : when == "never" ? ShowSteps::never : ShowSteps::when_long;
}
void dry_run(Options& o, const std::string&) { o.dry_run = o.verbose = true; }

template <bool Options::*flag>
void set(Options& o, const std::string&) {
    o.*flag = true;
}

template <Stage stage>
void stop_at(Options& o, const std::string&) {
    o.stage = stage;
}

template <bool system_headers>
void want_dependencies(Options& o, const std::string&) {
    o.dependencies.wanted = true;
    o.dependencies.system_headers = system_headers;
}

template <bool system_headers>
void only_dependencies(Options& o, const std::string&) {
    o.stage = Stage::preprocess;
    o.dependencies.only = true;
    o.dependencies.system_headers = system_headers;
}

void add_linker_options(Options& o, const std::string& value) {
    for (const std::string& part : split(value)) extend(o.linker, {"-Xlinker", part});
}

void set_default_stream(Options& o, const std::string& value) {
    if (value == "per-thread") add_definition(o, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

template <const char* suffix>
void write_module(Options& o, const std::string&) {
    o.stage = Stage::module, o.module_suffix = suffix;
}
constexpr char of_cubin[] = ".cubin", of_fatbin[] = ".fatbin", of_ptx[] = ".ptx";

void set_lanes_run(Options& o, const std::string& value) {
    if (value != "loops" && value != "stacks" && value != "explain") {
        throw UsageError("-lanes: expected loops, stacks or explain, not '" + value + "'");
    }
    o.lanes_run = value == "loops" ? LanesRun::in_loops : value == "stacks" ? LanesRun::on_stacks : LanesRun::explained;
}

void compile_relocatable(Options& o, const std::string&) { o.stage = Stage::compile, o.relocatable = true; }
void set_relocatable(Options& o, const std::string& value) { o.relocatable = value == "true"; }

void set_host_compiler(Options& o, const std::string& value) { o.host_compiler = value; }

void set_language(Options& o, const std::string& value) {
    if (value != "cu" && value != "c++" && value != "c" && value != "none") {
        throw UsageError("-x " + value + ": not cu, c++, c or none");
    }
    o.language = value;
}

/// sm_86, compute_90a, arch=compute_80,code=sm_80: the last number is __CUDA_ARCH__, and __CUDA_ARCH_LIST__ has all.
/// all and all-major stand for CUDA 13's; they and native keep the default of __CUDA_ARCH__.
void set_architecture(Options& o, const std::string& value) {
    if (value == "all-major") o.architectures = {"75", "80", "90", "100", "110", "120"};
    if (value == "all") {
        o.architectures = {"75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"};
    }
    std::size_t at = std::min({value.find("compute_"), value.find("sm_"), value.find("lto_")});
    if (at == std::string::npos) {
        for (const std::string_view known : {"all", "all-major", "native"}) {
            if (value == known || value == "arch=" + std::string(known)) return;
        }
        throw UsageError("'" + value + "' is not an architecture; example: sm_90");
    }
    at = value.find('_', at) + 1;
    unsigned number = 0;
    std::size_t end = at;
    for (; end < value.size() && std::isdigit(static_cast<unsigned char>(value[end])) != 0; ++end) {
        number = 10 * number + static_cast<unsigned>(value[end] - '0');
    }
    constexpr unsigned newest = 129;
    if (number < 10 || number > newest) throw UsageError("'" + value + "' is not an architecture; example: sm_90");
    o.cuda_arch = 10 * number;
    if (end < value.size() && (value[end] == 'a' || value[end] == 'f')) ++end;
    o.architectures.push_back(value.substr(at, end - at));
}

/// What nvcc defines so that a program can ask for an option.
void allow_extended_lambdas(Options& o, const std::string&) { o.own_macros.emplace_back("__CUDACC_EXTENDED_LAMBDA__"); }
void relax_constexpr(Options& o, const std::string&) { o.own_macros.emplace_back("__CUDACC_RELAXED_CONSTEXPR__"); }
void compile_extensible(Options& o, const std::string&) { o.own_macros.emplace_back("__CUDACC_EWP__"); }

/// The headers need C++17. A program for an older standard is valid C++17, too.
void set_standard(Options& o, const std::string& value) {
    const bool older =
        value == "c++03" || value == "c++11" || value == "c++14" || value == "gnu++11" || value == "gnu++14";
    o.standard = "-std=" + (older ? std::string("c++17") : value);
}

void add_library(Options& o, const std::string& name) {
    o.loads_modules |= name == "cuda" || name == "nvrtc" || name == "nvrtc_static";
    if (has_library(name, "-l" + name)) return;
    o.inputs.push_back({Language::link_item, "-l" + name});
}

constexpr auto none = Argument::none, required = Argument::required, joined = Argument::joined;
constexpr bool everyday = true;

// clang-format off
const OptionRow rows[] = {
    {"o", "output-file", required, set_output, "FILE: name of the result", everyday},
    {"c", "compile", none, stop_at<Stage::compile>, "an object file for each source", everyday},
    {"dc", "device-c", none, compile_relocatable, "the same, with device variables shared between files"},
    {"dlink", "device-link", none, stop_at<Stage::device_link>, "an empty object file, for makefiles that expect one"},
    {"lib", "lib", none, stop_at<Stage::archive>, "an archive of the object files"},
    {"shared", "shared", none, make_shared, "a shared library"},
    {"E", "preprocess", none, stop_at<Stage::preprocess>, "preprocess only"},
    {"cuda", "cuda", none, stop_at<Stage::rewrite>, "stop after rewriting: FILE.cu.cpp.ii is plain C++"},
    {"run", "run", none, set<&Options::run>, "check every access and run the program, then delete it", everyday},
    {"no-check", "no-check", none, set<&Options::run_unchecked>, "-run at full speed, without checks"},
    {"run-args", "run-args", required, add_run_arguments, "ARG[,ARG]: arguments for -run"},
    {"odir", "output-directory", required, set_output_folder, "DIR: place for object files"},
    {"I", "include-path", joined, add_include_folder, "DIR: search for headers", everyday},
    {"isystem", "system-include", required, add_system_folder, "DIR: search for headers, last"},
    {"D", "define-macro", joined, add_definition, "NAME[=VALUE]: define a macro", everyday},
    {"U", "undefine-macro", joined, remove_definition, "NAME: undefine a macro"},
    {"include", "pre-include", required, add_first_header, "FILE: include a header first"},
    {"std", "std", required, set_standard, "c++17, c++20, c++23; older languages mean c++17", everyday},
    {"x", "x", required, set_language, "cu, c++, c, none: language of the sources that follow"},
    {"O", "optimize", joined, set_optimization, "0, 1, 2, 3 (default), s, fast", everyday},
    {"any-ptx", "any-ptx", none, set<&Options::permits_any_ptx>, "PTX that is not simulated ends kernels that reach it"},
    {"g", "debug", none, set_debug, "full debug information"},
    {"G", "device-debug", none, check, "the checked simulator: counts and checks every access", everyday},
    {"check", "check", none, check, "the same"},
    {"schedule", "schedule", required, set_lanes, "independent or lockstep: how the lanes of a warp advance"},
    {"w", "disable-warnings", none, disable_warnings, "no warnings"},
    {"L", "library-path", joined, add_library_folder, "DIR: search for libraries"},
    {"l", "library", joined, add_library, "NAME: link with a library", everyday},
    {"Xcompiler", "compiler-options", required, add_compiler_options, "OPT[,OPT]: pass options to g++", everyday},
    {"Xlinker", "linker-options", required, add_linker_options, "OPT[,OPT]: pass options to the linker"},
    {"MMD", "generate-nonsystem-dependencies-with-compile", none, want_dependencies<false>, "also write a dependency file"},
    {"MD", "generate-dependencies-with-compile", none, want_dependencies<true>, "the same, with system headers"},
    {"MM", "generate-nonsystem-dependencies", none, only_dependencies<false>, "print the dependencies only"},
    {"M", "generate-dependencies", none, only_dependencies<true>, "the same, with system headers"},
    {"MF", "dependency-output", required, set_dependency_file, "FILE: name of the dependency file"},
    {"MT", "dependency-target-name", required, add_target, "NAME: target of the dependencies"},
    {"MQ", "MQ", required, add_quoted_target, "NAME: the same, quoted for make"},
    {"MP", "generate-dependency-targets", none, add_phony_targets, "a target for each header"},
    {"arch", "gpu-architecture", required, set_architecture, "sm_NN: sets __CUDA_ARCH__ (default 900)"},
    {"gencode", "generate-code", required, set_architecture, "arch=compute_NN,...: the same; the last one counts"},
    {"cubin", "cubin", none, write_module<of_cubin>, "write a module, for cuModuleLoad(), of each source"},
    {"fatbin", "fatbin", none, write_module<of_fatbin>, "the same, to a file .fatbin"},
    {"ptx", "ptx", none, write_module<of_ptx>, "the same as text, to a file .ptx"},
    {"rdc", "relocatable-device-code", required, set_relocatable, "true: share device variables between files"},
    {"default-stream", "default-stream", required, set_default_stream, "legacy or per-thread"},
    {"lanes", "lanes", required, set_lanes_run, "loops, stacks, explain: how the threads of a block take turns"},
    {"optf", "options-file", required, ignore, "FILE[,FILE]: read options from files"},  // before all others
    {"keep", "keep", none, set<&Options::keep>, "keep FILE.cu.cpp.ii"},
    {"v", "verbose", none, set<&Options::verbose>, "show the commands"},
    {"dryrun", "dryrun", none, dry_run, "show the commands and run none"},
    {"progress", "progress", required, show_progress, "auto, always or never: show steps of over a second"},
    {"h", "h", none, set<&Options::short_help>, "two examples and the options that people use"},
    {"help", "help", none, set<&Options::help>, "all options"},
    {"V", "version", none, set<&Options::version>, "the version"},
    {"print-cuda-home", "print-cuda-home", none, set<&Options::cuda_home>, "the folder for makefiles' CUDA_HOME"},
    {"dw", "device-w", none, stop_at<Stage::compile>, ""},
    {"link", "link", none, stop_at<Stage::link>, ""},
    {"save-temps", "save-temps", none, set<&Options::keep>, ""},
    {"forward-unknown-to-host-compiler", "forward-unknown-opts", none, set<&Options::forward_unknown>, ""},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", none, set<&Options::forward_to_linker>, ""},
    {"noeh", "no-exceptions", none, disable_exceptions, ""},
    {"ftemplate-depth", "ftemplate-depth", required, set_template_depth, ""},
    {"frandom-seed", "frandom-seed", required, set_random_seed, ""},
    {"Wreorder", "Wreorder", none, warn_of_order, ""},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", none, allow_deprecated, ""},
    {"Werror", "Werror", required, make_errors_of_warnings, ""},
    {"use_fast_math", "use_fast_math", none, ignore, ""},
    {"lineinfo", "generate-line-info", none, ignore, ""},
    {"dlto", "dlink-time-opt", none, ignore, ""},
    {"code", "gpu-code", required, ignore, ""},
    {"Xptxas", "ptxas-options", required, ignore, ""},
    {"Xnvlink", "nvlink-options", required, ignore, ""},
    {"Xarchive", "archive-options", required, ignore, ""},
    {"Xcudafe", "Xcudafe", required, ignore, ""},
    {"maxrregcount", "maxrregcount", required, ignore, ""},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", none, relax_constexpr, ""},
    {"expt-extended-lambda", "extended-lambda", none, allow_extended_lambdas, ""},
    {"cudart", "cudart", required, set_runtime, "none, static or shared: none links no simulator"},
    {"m64", "m64", none, ignore, ""},
    {"m", "machine", required, ignore, ""},
    {"t", "threads", required, set_jobs, "compile that many files at once; 0: one for each processor"},
    {"j", "jobs", joined, set_jobs, "the same: -j4"},
    {"split-compile", "split-compile", required, ignore, ""},
    {"ccbin", "compiler-bindir", required, set_host_compiler, ""},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", none, ignore, ""},
    {"ftz", "ftz", required, ignore, ""},
    {"prec-div", "prec-div", required, ignore, ""},
    {"prec-sqrt", "prec-sqrt", required, ignore, ""},
    {"fmad", "fmad", required, ignore, ""},
    {"restrict", "restrict", none, ignore, ""},
    {"res-usage", "resource-usage", none, ignore, ""},
    {"extra-device-vectorization", "extra-device-vectorization", none, ignore, ""},
    {"src-in-ptx", "source-in-ptx", none, ignore, ""},
    {"diag-suppress", "diag-suppress", required, ignore, ""},
    {"diag-warn", "diag-warn", required, ignore, ""},
    {"diag-error", "diag-error", required, ignore, ""},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", none, ignore, ""},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", none, ignore, ""},
    {"nohdinitlist", "no-host-device-initializer-list", none, ignore, ""},
    {"keep-dir", "keep-dir", required, ignore, ""},
    {"time", "time", required, ignore, ""},
    {"objtemp", "objdir-as-tempdir", none, ignore, ""},
    {"lto", "lto", none, ignore, ""},
    {"gen-opt-lto", "gen-opt-lto", none, ignore, ""},
    {"nohdmoveforward", "no-host-device-move-forward", none, ignore, ""},
    {"noprof", "dont-use-profile", none, ignore, ""},
    {"no-align-double", "no-align-double", none, ignore, ""},
    {"nodlink", "no-device-link", none, ignore, ""},
    {"keep-device-functions", "keep-device-functions", none, ignore, ""},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", none, ignore, ""},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", none, ignore, ""},
    {"ewp", "extensible-whole-program", none, compile_extensible, ""},
    {"no-compress", "no-compress", none, ignore, ""},
    {"err-no", "display-error-number", none, ignore, ""},
    {"no-err-no", "no-display-error-number", none, ignore, ""},
    {"aug-hls", "augment-host-linker-script", none, ignore, ""},
    {"r", "relocatable-link", none, ignore, ""},
    {"reloc-ptx", "relocatable-ptx", none, ignore, ""},
    {"jobserver", "jobserver", none, ignore, ""},
    {"arbin", "archiver-binary", required, ignore, ""},
    {"cudadevrt", "cudadevrt", required, ignore, ""},
    {"ldir", "libdevice-directory", required, ignore, ""},
    {"target-dir", "target-directory", required, ignore, ""},
    {"opt-info", "optimization-info", required, ignore, ""},
    {"Ofc", "Ofast-compile", required, ignore, ""},
    {"dopt", "dopt", required, ignore, ""},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", required, ignore, ""},
    {"static-global-template-stub", "static-global-template-stub", required, ignore, ""},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", required, ignore, ""},
    {"split-compile-extended", "split-compile-extended", required, ignore, ""},
    {"fdevice-time-trace", "fdevice-time-trace", required, ignore, ""},
    {"e", "entries", required, ignore, ""},
    {"hls", "host-linker-script", required, ignore, ""},
    {"brief-diag", "brief-diagnostics", required, ignore, ""},
    {"jtd", "jump-table-density", required, ignore, ""},
    {"device-stack-protector", "device-stack-protector", required, ignore, ""},
    {"compress-mode", "compress-mode", required, ignore, ""},
    {"sanitize", "sanitize", required, ignore, ""},
    {"qpp-config", "qpp-config", required, ignore, ""},
    // Of older releases.
    {"gpu-name", "gpu-name", required, set_architecture, ""},
    {"deviceemu", "device-emulation", none, ignore, ""},
    {"Xopencc", "opencc-options", required, ignore, ""},
    {"host-compilation", "host-compilation", required, ignore, ""},
};
// clang-format on

template <typename Condition>
const OptionRow* first_row(Condition condition) {
    const OptionRow* row = std::find_if(std::begin(rows), std::end(rows), condition);
    return row == std::end(rows) ? nullptr : row;
}

}  // namespace

const OptionRow* find_option(std::string_view name) {
    return first_row([&](const OptionRow& row) { return name == row.name || name == row.long_name; });
}

const OptionRow* find_joined_option(char letter) {
    return first_row([&](const OptionRow& row) { return row.argument == joined && letter == row.name[0]; });
}

std::vector<std::string> option_names() {
    List names;
    for (const OptionRow& row : rows) extend(names, {"-" + std::string(row.name), "--" + std::string(row.long_name)});
    return names;
}

std::string completion_text(const std::string& word) {
    std::string text;
    for (const OptionRow& row : rows) {
        for (const std::string& name : {"-" + std::string(row.name), "--" + std::string(row.long_name)}) {
            const bool fits = !word.empty() && name.compare(0, word.size(), word) == 0;
            if (fits && !row.help.empty()) text += name + "\t" + std::string(row.help) + "\n";
        }
    }
    return text;
}

std::string help_text(bool is_short) {
    constexpr std::size_t names_width = 28, narrowest_text = 24, margin = 4;
    const std::size_t width = help_width();
    const auto paragraph = [=](const std::string& words) { return wrapped(words, width) + "\n"; };
    const std::string name = called("simcc");
    std::string text =
        paragraph("Usage: " + name + " [OPTION]... FILE...") +
        paragraph("Compile CUDA C++ for the simulator of gridutils: no GPU, driver or toolkit is needed.");
    text += is_short ? "\nExamples:\n  " + name + " mine.cu -o mine && ./mine\n  " + name + " -run mine.cu\n"
                     : paragraph(
                           "Files end in .cu, .cpp, .c, .o or .a. Other options of nvcc are accepted where they "
                           "do not matter.");
    text += "\nOptions:\n";
    for (const OptionRow& row : rows) {
        if (row.help.empty() || (is_short && !row.is_everyday)) continue;
        std::string line = "  -" + std::string(row.name);
        if (row.long_name != row.name && row.long_name.size() < 20) line += ", --" + std::string(row.long_name);
        if (width < names_width + narrowest_text) {  // the text begins on a line of its own
            text += line + "\n" + std::string(margin, ' ');
            text += wrapped(std::string(row.help), width, margin, margin) + "\n";
        } else {
            line.resize(std::max(line.size() + 2, names_width), ' ');
            text += line + wrapped(std::string(row.help), width, names_width, line.size()) + "\n";
        }
    }
    text += "\n";
    if (is_short)
        return text +
               paragraph(name + " --help shows all options; " + name + "(1), as in man " + name + ", explains them.");
    return text + paragraph("Environment: CXX (default g++), TMPDIR.") +
           paragraph(
               "The program that is built reads SIMCC_THREADS, SIMCC_TIMEOUT, SIMCC_DEVICES and SIMCC_LIBRARIES; one "
               "built with "
               "--check also SIMCC_CHECK, SIMCC_COUNTERS, SIMCC_PREDICT and SIMCC_SCHEDULE.") +
           paragraph(
               "Exit status: 0 success, 1 compilation failed, 2 usage, 5 output not written; with -run the "
               "program's.");
}

// ---- the command line

namespace {

/// Rejects options for things that a simulator cannot do.
void refuse(const std::string& argument, std::string_view name) {
    for (const std::string_view gpu_code : {"optix-ir", "ltoir"}) {
        if (name != gpu_code) continue;
        throw UsageError(argument + ": the simulator runs kernels as host code; there is no GPU code to write");
    }
}

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Adds a file: its language is that of -x, or follows from the suffix.
void add_file(Options& options, const std::string& path) {
    const std::string file = path.substr(path.rfind('/') + 1), &forced = options.language;
    const std::size_t dot = file.rfind('.');
    const std::string suffix = dot == std::string::npos ? "" : file.substr(dot + 1);
    if (forced != "none") {
        const Language language = forced == "cu" ? Language::cuda : forced == "c" ? Language::c : Language::cxx;
        options.inputs.push_back({language, path});
    } else if (suffix == "cu") {
        options.inputs.push_back({Language::cuda, path});
    } else if (is_among(suffix, {"cpp", "cc", "cxx", "c++", "C", "ii"})) {
        options.inputs.push_back({Language::cxx, path});
    } else if (suffix == "c" || suffix == "i") {
        options.inputs.push_back({Language::c, path});
    } else if (is_among(suffix, {"o", "obj", "a", "lib", "so", "lo"}) || file.find(".so.") != file.npos) {
        const bool is_library = file.rfind("lib", 0) == 0 && suffix != "o" && suffix != "obj";
        if (is_library && has_library(file.substr(3, file.find('.') - 3), path)) return;
        options.inputs.push_back({Language::link_item, path});
    } else if (options.no_input.empty()) {
        options.no_input = path;
    }
}

/// g++ options that need no -Xcompiler here.
bool is_for_gxx(std::string_view name, bool two_dashes) {
    for (const std::string_view known : {"pthread", "pg", "s", "rdynamic", "pipe", "pedantic", "static"}) {
        if (name == known) return true;
    }
    return !two_dashes && name.size() > 1 && (name[0] == 'f' || name[0] == 'W');
}

[[noreturn]] void fail_unknown(const std::string& argument) {
    const std::string word = argument.substr(0, argument.find('='));
    const std::string nearest = word.size() < 3 ? "" : nearest_name(word, option_names());
    throw UsageError("unknown option '" + word + "'" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                     "; " + called("simcc") + " --help lists them, and -Xcompiler passes one to g++");
}

/// Applies the option at arguments[i]; leaves i at the last argument that belongs to it.
void apply_option(Options& options, const std::vector<std::string>& arguments, std::size_t& i) {
    const std::string& argument = arguments[i];
    const bool two_dashes = argument[1] == '-';
    const std::string body = argument.substr(two_dashes ? 2 : 1);
    const std::size_t equals = body.find('=');
    const std::string name = body.substr(0, equals);
    refuse(argument, name);

    const OptionRow* row = find_option(name);
    const OptionRow* joined = two_dashes || body.empty() ? nullptr : find_joined_option(body[0]);
    if (row != nullptr && row->argument == Argument::none) {
        row->apply(options, "");
    } else if (row != nullptr && equals != std::string::npos) {
        row->apply(options, body.substr(equals + 1));
    } else if (row != nullptr) {
        if (++i == arguments.size()) throw UsageError(argument + ": a value is missing");
        row->apply(options, arguments[i]);
    } else if (joined != nullptr) {
        joined->apply(options, body.substr(1));
    } else if (is_for_gxx(body, two_dashes)) {
        options.compiler.push_back(argument);
    } else {
        options.unknown.push_back(argument);
    }
}

}  // namespace

Options parse_options(const std::vector<std::string>& command_line) {
    Options options;
    const List arguments = with_options_files(command_line);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].size() < 2 || arguments[i][0] != '-') {
            add_file(options, arguments[i]);
        } else {
            apply_option(options, arguments, i);
        }
    }
    if (!options.unknown.empty() && !options.forward_unknown && !options.forward_to_linker)
        fail_unknown(options.unknown.front());
    extend(options.forward_unknown ? options.compiler : options.linker, options.unknown);
    const auto is_source = [](const Input& input) { return input.language != Language::link_item; };
    const auto sources = std::count_if(options.inputs.begin(), options.inputs.end(), is_source);
    if (!options.output.empty() && sources > 1 && options.stage <= Stage::module) {
        throw UsageError("-o names one file, but there are " + std::to_string(sources) + " sources to compile");
    }
    if (options.run && options.stage != Stage::link) {
        throw UsageError("-run needs a program; leave out the option that stops before linking");
    }
    if (options.run_unchecked && (options.checked || !options.run))
        throw UsageError("-no-check is for -run without -G; programs are unchecked by default");
    return options;
}

}  // namespace simcc

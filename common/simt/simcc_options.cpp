#include "common/simt/simcc_options.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>

namespace simcc {
namespace {

/// Separates `text` at any of `separators`; a backslash keeps the next character, as in nvcc.
std::vector<std::string> split(const std::string& text, std::string_view separators) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            parts.back() += text[++i];
        } else if (separators.find(text[i]) != std::string_view::npos) {
            parts.emplace_back();
        } else {
            parts.back() += text[i];
        }
    }
    parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
    return parts;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) { list.insert(list.end(), more.begin(), more.end()); }

/// sm_86, compute_90a, arch=compute_80,code=sm_80: the number decides __CUDA_ARCH__; native and all leave the default.
void set_architecture(Options& options, const std::string& value) {
    std::size_t at = std::min(value.find("compute_"), value.find("sm_"));
    if (at == std::string::npos) return;
    at = value.find('_', at) + 1;
    unsigned number = 0;
    for (; at < value.size() && std::isdigit(static_cast<unsigned char>(value[at])); ++at) number = 10 * number + static_cast<unsigned>(value[at] - '0');
    if (number < 20 || number > 999) throw UsageError("'" + value + "' is not an architecture; example: sm_90");
    options.cuda_arch = 10 * number;
}

void set_standard(Options& options, const std::string& value) {
    // The headers need C++17; an older language is a subset that programs do not notice.
    const bool older = value == "c++03" || value == "c++98" || value == "c++11" || value == "c++14" || value == "gnu++11" || value == "gnu++14";
    options.standard = "-std=" + (older ? std::string("c++17") : value);
}

void set_language(Options& options, const std::string& value) {
    if (value != "cu" && value != "c++" && value != "c" && value != "none") throw UsageError("-x " + value + ": not cu, c++, c or none");
    options.language = value;
}

/// Libraries of the toolkit: the runtime's are ours, the driver's and the mathematical ones have no counterpart.
void add_library(Options& options, const std::string& name) {
    static constexpr std::string_view built_in[] = {"cudart", "cudart_static", "cudadevrt", "nvToolsExt"};
    static constexpr std::string_view absent[] = {"cuda",   "nvrtc",    "cublas",   "cublasLt", "cufft",  "cufftw",
                                                  "cusparse", "cusolver", "cudnn",  "nccl",     "nvidia-ml", "nvjpeg"};
    if (std::find(std::begin(built_in), std::end(built_in), name) != std::end(built_in)) return;
    if (std::find(std::begin(absent), std::end(absent), name) != std::end(absent)) {
        throw UsageError("-l" + name + ": the simulator offers the runtime API only; " +
                         (name == "cuda" ? "programs of the driver API (cuInit, cuLaunchKernel) need nvcc and a GPU"
                                         : "programs that call this library need nvcc and a GPU"));
    }
    if (name == "curand") return options.warnings.push_back("-lcurand: ignored; host functions of cuRAND are not available");
    options.inputs.push_back({Language::link_item, "-l" + name});
}

enum class Argument {
    none,
    required,  ///< -name VALUE or -name=VALUE
    joined,    ///< -nVALUE as well
};

struct OptionRow {
    std::string_view name, long_name;  ///< without dashes
    Argument argument;
    std::string_view help;             ///< empty: accepted for nvcc's sake, not listed
    void (*apply)(Options&, const std::string&);
};

void ignore(Options&, const std::string&) {}

/// The one table of options: the parser and --help read it, and the page follows it.
const OptionRow rows[] = {
    {"o", "output-file", Argument::required, "FILE  name of the result", [](Options& o, const std::string& v) { o.output = v; }},
    {"c", "compile", Argument::none, "an object file for each source", [](Options& o, const std::string&) { o.stage = Stage::compile; }},
    {"dc", "device-c", Argument::none, "the same: separate compilation is always on", [](Options& o, const std::string&) { o.stage = Stage::compile; }},
    {"dlink", "device-link", Argument::none, "an empty object file, for makefiles that link device code apart",
     [](Options& o, const std::string&) { o.stage = Stage::device_link; }},
    {"lib", "lib", Argument::none, "an archive of the object files", [](Options& o, const std::string&) { o.stage = Stage::archive; }},
    {"E", "preprocess", Argument::none, "preprocess only", [](Options& o, const std::string&) { o.stage = Stage::preprocess; }},
    {"cuda", "cuda", Argument::none, "stop after rewriting: FILE.cu.cpp.ii is plain C++", [](Options& o, const std::string&) { o.stage = Stage::rewrite; }},
    {"run", "run", Argument::none, "run the program, then delete it", [](Options& o, const std::string&) { o.run = true; }},
    {"run-args", "run-args", Argument::required, "ARG[,ARG]  arguments for -run",
     [](Options& o, const std::string& v) { append(o.run_arguments, split(v, ", ")); }},
    {"I", "include-path", Argument::joined, "DIR  search for headers", [](Options& o, const std::string& v) { append(o.preprocessor, {"-I", v}); }},
    {"isystem", "system-include", Argument::required, "DIR  search for headers, last", [](Options& o, const std::string& v) { o.system_folders.push_back(v); }},
    {"D", "define-macro", Argument::joined, "NAME[=VALUE]  define a macro", [](Options& o, const std::string& v) { append(o.preprocessor, {"-D", v}); }},
    {"U", "undefine-macro", Argument::joined, "NAME  undefine a macro", [](Options& o, const std::string& v) { append(o.preprocessor, {"-U", v}); }},
    {"include", "pre-include", Argument::required, "FILE  include a header first", [](Options& o, const std::string& v) { append(o.preprocessor, {"-include", v}); }},
    {"std", "std", Argument::required, "c++17|c++20|c++23  language; older ones mean c++17", set_standard},
    {"x", "x", Argument::required, "cu|c++|c  language of the sources that follow", set_language},
    {"O", "optimize", Argument::joined, "LEVEL  0, 1, 2, 3 (default 3), s, fast", [](Options& o, const std::string& v) { o.optimization = "-O" + v; }},
    {"g", "debug", Argument::none, "full debug information", [](Options& o, const std::string&) { o.debug = "-g"; }},
    {"w", "disable-warnings", Argument::none, "no warnings", [](Options& o, const std::string&) { o.compiler.push_back("-w"); }},
    {"L", "library-path", Argument::joined, "DIR  search for libraries", [](Options& o, const std::string& v) { o.inputs.push_back({Language::link_item, "-L" + v}); }},
    {"l", "library", Argument::joined, "NAME  link with a library", add_library},
    {"Xcompiler", "compiler-options", Argument::required, "OPT[,OPT]  hand options to g++", [](Options& o, const std::string& v) { append(o.compiler, split(v, ", ")); }},
    {"Xlinker", "linker-options", Argument::required, "OPT[,OPT]  hand options to the linker",
     [](Options& o, const std::string& v) { for (const std::string& part : split(v, ", ")) append(o.linker, {"-Xlinker", part}); }},
    {"shared", "shared", Argument::none, "link a shared library", [](Options& o, const std::string&) { o.linker.push_back("-shared"); o.compiler.push_back("-fPIC"); }},
    {"MMD", "generate-nonsystem-dependencies-with-compile", Argument::none, "write a dependency file beside the object",
     [](Options& o, const std::string&) { o.dependencies.wanted = true; }},
    {"MD", "generate-dependencies-with-compile", Argument::none, "the same, with system headers",
     [](Options& o, const std::string&) { o.dependencies.wanted = o.dependencies.system_headers = true; }},
    {"MM", "generate-nonsystem-dependencies", Argument::none, "dependencies only, to the standard output",
     [](Options& o, const std::string&) { o.stage = Stage::preprocess; o.dependencies.only = true; }},
    {"M", "generate-dependencies", Argument::none, "the same, with system headers",
     [](Options& o, const std::string&) { o.stage = Stage::preprocess; o.dependencies.only = o.dependencies.system_headers = true; }},
    {"MF", "dependency-output", Argument::required, "FILE  name of the dependency file", [](Options& o, const std::string& v) { o.dependencies.file = v; }},
    {"MT", "dependency-target-name", Argument::required, "NAME  target of the dependencies", [](Options& o, const std::string& v) { append(o.dependencies.targets, {"-MT", v}); }},
    {"MQ", "MQ", Argument::required, "NAME  the same, quoted for make", [](Options& o, const std::string& v) { append(o.dependencies.targets, {"-MQ", v}); }},
    {"MP", "generate-dependency-targets", Argument::none, "a target for each header", [](Options& o, const std::string&) { o.dependencies.phony = true; }},
    {"odir", "output-directory", Argument::required, "DIR  place for object files", [](Options& o, const std::string& v) { o.output_folder = v; }},
    {"arch", "gpu-architecture", Argument::required, "sm_NN  sets __CUDA_ARCH__ (default 900)", set_architecture},
    {"gencode", "generate-code", Argument::required, "arch=compute_NN,...  the same; the last one counts", set_architecture},
    {"default-stream", "default-stream", Argument::required, "legacy|per-thread",
     [](Options& o, const std::string& v) { if (v == "per-thread") append(o.preprocessor, {"-D", "CUDA_API_PER_THREAD_DEFAULT_STREAM=1"}); }},
    {"keep", "keep", Argument::none, "keep FILE.cpp.ii, the rewritten source", [](Options& o, const std::string&) { o.keep = true; }},
    {"v", "verbose", Argument::none, "show the commands", [](Options& o, const std::string&) { o.verbose = true; }},
    {"dryrun", "dryrun", Argument::none, "show the commands, run none", [](Options& o, const std::string&) { o.dry_run = o.verbose = true; }},
    {"h", "help", Argument::none, "this text", [](Options& o, const std::string&) { o.help = true; }},
    {"V", "version", Argument::none, "the version", [](Options& o, const std::string&) { o.version = true; }},
    {"use_fast_math", "use_fast_math", Argument::none, "", ignore},
    {"lineinfo", "generate-line-info", Argument::none, "", ignore},
    {"rdc", "relocatable-device-code", Argument::required, "", ignore},
    {"dlto", "dlink-time-opt", Argument::none, "", ignore},
    {"code", "gpu-code", Argument::required, "", ignore},
    {"Xptxas", "ptxas-options", Argument::required, "", ignore},
    {"Xnvlink", "nvlink-options", Argument::required, "", ignore},
    {"Xarchive", "archive-options", Argument::required, "", ignore},
    {"Xcudafe", "Xcudafe", Argument::required, "", ignore},
    {"maxrregcount", "maxrregcount", Argument::required, "", ignore},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Argument::none, "", ignore},
    {"expt-extended-lambda", "extended-lambda", Argument::none, "", ignore},
    {"cudart", "cudart", Argument::required, "", ignore},
    {"m64", "m64", Argument::none, "", ignore},
    {"m", "machine", Argument::required, "", ignore},
    {"t", "threads", Argument::required, "", ignore},
    {"split-compile", "split-compile", Argument::required, "", ignore},
    {"ccbin", "compiler-bindir", Argument::required, "", ignore},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", Argument::none, "", ignore},
    {"ftz", "ftz", Argument::required, "", ignore},
    {"prec-div", "prec-div", Argument::required, "", ignore},
    {"prec-sqrt", "prec-sqrt", Argument::required, "", ignore},
    {"fmad", "fmad", Argument::required, "", ignore},
    {"restrict", "restrict", Argument::none, "", ignore},
    {"res-usage", "resource-usage", Argument::none, "", ignore},
    {"extra-device-vectorization", "extra-device-vectorization", Argument::none, "", ignore},
    {"src-in-ptx", "source-in-ptx", Argument::none, "", ignore},
    {"diag-suppress", "diag-suppress", Argument::required, "", ignore},
    {"diag-warn", "diag-warn", Argument::required, "", ignore},
    {"diag-error", "diag-error", Argument::required, "", ignore},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", Argument::none, "", ignore},
    {"Wreorder", "Wreorder", Argument::none, "", ignore},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", Argument::none, "", ignore},
    {"nohdrinitlist", "no-host-device-initializer-list", Argument::none, "", ignore},
    {"keep-dir", "keep-dir", Argument::required, "", ignore},
    {"time", "time", Argument::required, "", ignore},
};

constexpr std::string_view gpu_code_message = ": the simulator runs kernels as host code; there is no GPU code to write";
constexpr std::string_view checked_message = ": the checked build is not available; leave the option out for the fast one";

/// Options that ask for what a simulator cannot give.
std::string_view refusal(std::string_view name) {
    for (const std::string_view gpu_code : {"ptx", "cubin", "fatbin", "fatbinary", "optix-ir", "ltoir"}) {
        if (name == gpu_code) return gpu_code_message;
    }
    return name == "G" || name == "device-debug" || name == "check" ? checked_message : std::string_view{};
}

/// The language of a file: what -x said, or what the suffix says.
Language language_of(const std::string& forced, const std::string& path) {
    if (forced != "none") return forced == "cu" ? Language::cuda : forced == "c" ? Language::c : Language::cxx;
    const std::size_t dot = path.rfind('.');
    const std::string suffix = dot == std::string::npos ? "" : path.substr(dot + 1);
    if (suffix == "cu") return Language::cuda;
    if (suffix == "cpp" || suffix == "cc" || suffix == "cxx" || suffix == "C") return Language::cxx;
    if (suffix == "c") return Language::c;
    if (suffix == "o" || suffix == "obj" || suffix == "a" || suffix == "so" || path.find(".so.") != std::string::npos) return Language::link_item;
    throw UsageError("'" + path + "': do not know what to do with this suffix; sources end in .cu, .cpp or .c, or follow -x cu");
}

/// Options that g++ knows and that need no -Xcompiler here.
bool is_for_gxx(std::string_view name) {
    if (name == "pthread" || name == "pg" || name == "s" || name == "rdynamic" || name == "pipe" || name == "pedantic" || name == "static") return true;
    return name.size() > 1 && (name[0] == 'f' || name[0] == 'W') && name.substr(0, 7) != "fatbin=";
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        if (argument.size() < 2 || argument[0] != '-') {
            options.inputs.push_back({language_of(options.language, argument), argument});
            continue;
        }
        const std::string body = argument.substr(argument[1] == '-' ? 2 : 1);
        const std::size_t equals = body.find('=');
        const std::string name = body.substr(0, equals);
        if (!refusal(name).empty()) throw UsageError(argument + std::string(refusal(name)));

        const OptionRow* row = std::find_if(std::begin(rows), std::end(rows), [&](const OptionRow& r) { return name == r.name || name == r.long_name; });
        if (row != std::end(rows) && row->argument != Argument::none) {
            if (equals == std::string::npos && i + 1 == arguments.size()) throw UsageError(argument + ": a value is missing");
            row->apply(options, equals == std::string::npos ? arguments[++i] : body.substr(equals + 1));
        } else if (row != std::end(rows)) {
            row->apply(options, "");
        } else if (const OptionRow* joined = std::find_if(std::begin(rows), std::end(rows),
                                                          [&](const OptionRow& r) { return r.argument == Argument::joined && body[0] == r.name[0]; });
                   joined != std::end(rows) && argument[1] != '-') {
            joined->apply(options, body.substr(1));
        } else if (is_for_gxx(body)) {
            options.compiler.push_back(argument);
        } else {
            options.warnings.push_back(argument + ": unknown option ignored");
        }
    }
    const auto sources = std::count_if(options.inputs.begin(), options.inputs.end(), [](const Input& input) { return input.language != Language::link_item; });
    if (!options.output.empty() && sources > 1 && options.stage <= Stage::compile) {
        throw UsageError("-o names one file, but there are " + std::to_string(sources) + " sources to compile");
    }
    if (options.run && options.stage != Stage::link) throw UsageError("-run needs a program; leave out the option that stops before linking");
    return options;
}

std::string help_text() {
    std::string text = "Usage: simcc [OPTION]... FILE...\n"
                       "Compile CUDA C++ for the simulator of gridutils: no GPU, driver or toolkit is needed.\n"
                       "Files end in .cu, .cpp, .c, .o or .a. Other options of nvcc are accepted where they do not matter.\n\n";
    for (const OptionRow& row : rows) {
        if (row.help.empty()) continue;
        std::string line = "  -" + std::string(row.name);
        if (row.long_name != row.name && row.long_name.size() < 20) line += ", --" + std::string(row.long_name);
        line.resize(std::max(line.size() + 2, std::size_t{28}), ' ');
        text += line + std::string(row.help) + "\n";
    }
    return text + "\nEnvironment: CXX (default g++), TMPDIR. The built program reads SIMCC_THREADS, SIMCC_TIMEOUT, SIMCC_DEVICES.\n"
                  "Exit status: 0 fine, 1 compilation failed, 2 usage; with -run the program's.\n";
}

}  // namespace simcc

// SPDX-License-Identifier: MIT
// simcc: compiles CUDA C++ for the simulator, and is used like nvcc.
//
// A .cu file goes through `g++ -E` with our cuda_runtime.h, the rewriter (common/simt/rewrite), `g++ -fpreprocessed`,
// and is linked with libsimt.a. For the checked simulator, the compiler's assembly is rewritten as well.

#include <cstdio>
#include <string>
#include <vector>

#include "common/io/process.hpp"
#include "common/measure/version.hpp"
#include "common/simt/driver/foreign_headers.hpp"
#include "common/simt/driver/options.hpp"
#include "common/simt/driver/process.hpp"
#include "common/simt/driver/toolchain.hpp"
#include "tools/simcc/chain.hpp"

namespace simcc {
namespace {

/// What makefiles, CMake and other programs look for in the version of the compiler that simcc stands for.
constexpr char nvcc_version[] =
    "answers as nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n";

int main(const std::vector<std::string>& arguments) {
    if (arguments.size() > 1 && arguments.front() == "--complete") {  // for a shell
        std::printf("%s", completion_text(arguments.back()).c_str());
        return fine;
    }
    Options options;
    const std::string name = called("simcc");
    hide_toolkits();
    try {
        options = parse_options(arguments);
        if (options.help || options.short_help || options.version || options.cuda_home) {
            const bool is_help = options.help || options.short_help;
            const std::string text = is_help ? help_text(!options.help)
                                     : options.cuda_home
                                         ? find_toolchain(options).cuda_home + "\n"
                                         : name + " (gridutils) " + gridutils_version + "\n" + nvcc_version;
            std::printf("%s", text.c_str());
            if (std::fflush(stdout) == 0) return fine;
            if (interrupted_by() == 0) std::perror((name + ": cannot write to standard output").c_str());
            return failed;
        }
        if (options.verbose) std::fputs(settings_text(find_toolchain(options)).c_str(), stderr);
        if (!options.no_input.empty())
            throw UsageError(options.no_input + ": unknown suffix; sources end in .cu, .cpp or .c, or follow -x cu");
        if (options.inputs.empty()) throw UsageError("no input files; see " + name + " --help");
        refuse_shared_files(options);
    } catch (const UsageError& error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        return usage;
    }
    for (const std::string& warning : options.warnings)
        std::fprintf(stderr, "%s: warning: %s\n", name.c_str(), warning.c_str());
    return exit_status_of([&] {
        // A quick try finds the defects, too.
        if (options.run && !options.run_unchecked && can_check(find_toolchain(options))) options.checked = true;
        return Chain(options).run_all();
    });
}

}  // namespace
}  // namespace simcc

int main(int count, char** arguments) {
    simcc::catch_signals();
    const int status = simcc::main({arguments + 1, arguments + count});
    if (simcc::interrupted_by() != 0) simcc::end_as_interrupted();  // by now the temporary files are gone
    return status;
}

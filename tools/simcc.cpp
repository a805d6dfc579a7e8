// simcc: compiles CUDA C++ for the simulator, in the manner of nvcc.
//
// A .cu file goes through `g++ -E` with our cuda_runtime.h, the rewriter (common/simt/rewrite), `g++ -fpreprocessed`,
// and is linked with libsimt.a. For the checked simulator the compiler's assembly is changed, too.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "common/cli/version.hpp"
#include "common/simt/driver/assembly.hpp"
#include "common/simt/driver/options.hpp"
#include "common/simt/driver/process.hpp"
#include "common/simt/driver/red_zones.hpp"
#include "common/simt/driver/toolchain.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"

namespace simcc {
namespace {

enum ExitStatus { fine = 0, failed = 1, usage = 2 };

/// A step that failed and has already reported why.
struct StepFailed {};

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    if (!file.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

class Driver {
public:
    explicit Driver(const Options& options) : options_(options), toolchain_(find_toolchain()) {}

    int drive() {
        std::vector<std::string> items;
        for (const Input& input : options_.inputs) {
            items.push_back(input.language == Language::link_item ? input.text : compile(input, items.size()));
        }
        switch (options_.stage) {
            case Stage::preprocess:
            case Stage::rewrite:
            case Stage::compile: return fine;
            case Stage::device_link: return link_device(), fine;
            case Stage::archive: return archive(items), fine;
            case Stage::link: break;
        }
        const std::string program =
            options_.run && options_.output.empty() ? temporary_.file("a.out") : output_or("a.out");
        step(link_command(toolchain_, options_, items, program));
        return options_.run ? run_program(program) : static_cast<int>(fine);
    }

private:
    std::string output_or(const std::string& name) const { return options_.output.empty() ? name : options_.output; }

    /// Runs one command of the chain, or shows it.
    void step(const Command& command) {
        if (options_.verbose) std::fprintf(stderr, "%s\n", quoted(command).c_str());
        if (!options_.dry_run && !run(command).ok()) throw StepFailed();
    }

    /// Compiles one source and returns the object file's name.
    std::string compile(const Input& input, std::size_t number) {
        const std::string object = object_name(input.text, number);
        if (input.language != Language::cuda) {
            step(host_command(toolchain_, options_, input,
                              options_.stage == Stage::preprocess ? options_.output : object));
            return object;
        }
        const std::string definitions = temporary_.file("simcc_definitions.h");
        write_file(definitions, late_definitions(options_));
        if (options_.stage == Stage::preprocess) {
            const std::string target = renamed(input.text, ".o");
            step(preprocess_command(toolchain_, options_, input.text, definitions, target, options_.output));
            return "";
        }
        const std::string preprocessed = temporary_.file(std::to_string(number) + ".ii");
        step(preprocess_command(toolchain_, options_, input.text, definitions, object, preprocessed));

        const std::string rewritten_name = renamed(input.text, ".cu.cpp.ii");
        const bool kept = options_.keep || options_.stage == Stage::rewrite;
        const std::string rewritten = !kept ? temporary_.file(std::to_string(number) + ".cu.cpp.ii")
                                      : options_.stage == Stage::rewrite ? output_or(rewritten_name)
                                                                         : rewritten_name;
        rewrite_file(input.text, preprocessed, rewritten);
        if (options_.stage == Stage::rewrite) return "";
        if (!options_.checked) {
            step(compile_command(toolchain_, options_, rewritten, object));
            return object;
        }
        const std::string assembly = temporary_.file(std::to_string(number) + ".s");
        step(compile_command(toolchain_, options_, rewritten, assembly));
        const std::string marked = temporary_.file(std::to_string(number) + ".branches.s");
        mark_file(assembly, marked);
        step(assemble_command(toolchain_, options_, marked, object));
        return object;
    }

    /// Objects that are the result go into the working directory; those on the way to a program are temporary.
    std::string object_name(const std::string& source, std::size_t number) const {
        if (options_.stage != Stage::compile) return temporary_.file(std::to_string(number) + ".o");
        if (!options_.output.empty()) return options_.output;
        const std::string name = renamed(source, ".o");
        return options_.output_folder.empty() ? name : options_.output_folder + "/" + name;
    }

    Rewritten rewrite_text(const std::string& text) const {
        return rewrite(text, toolchain_.headers, {options_.relocatable, options_.checked});
    }

    void rewrite_file(const std::string& source, const std::string& from, const std::string& to) {
        if (options_.verbose) std::fprintf(stderr, "# rewrite %s to %s\n", from.c_str(), to.c_str());
        if (options_.dry_run) return;
        Rewritten rewritten = rewrite_text(read_file(from));
        drop_unseen_by_host(source, rewritten.diagnostics);
        bool failed = false;
        for (const Diagnostic& message : rewritten.diagnostics) {
            const bool is_error = message.kind != Diagnostic::warning;
            failed = failed || is_error;
            if (!is_error && options_.no_warnings) continue;
            std::fprintf(stderr, "%s:%zu:%zu: %s: %s\n", message.file.c_str(), message.line, message.column,
                         is_error ? "error" : "warning", message.message.c_str());
        }
        if (failed) throw StepFailed();
        write_file(to, rewritten.text);
    }

    /// Simulated kernels are compiled together with the host's code, so both see __CUDA_ARCH__ defined. An error in
    /// host code counts only if it remains when the macro is undefined, as in a compilation for the host.
    void drop_unseen_by_host(const std::string& source, std::vector<Diagnostic>& diagnostics) const {
        const auto on_host = [](const Diagnostic& message) { return message.kind == Diagnostic::error_on_host; };
        if (std::none_of(diagnostics.begin(), diagnostics.end(), on_host)) return;
        Options host = options_;
        host.cuda_arch = 0;
        host.dependencies.wanted = host.dependencies.only = false;
        host.compiler.push_back("-w");  // warnings were already printed
        const std::string text =
            output_of(preprocess_command(toolchain_, host, source, temporary_.file("simcc_definitions.h"), "", ""));
        const std::vector<Diagnostic> seen = rewrite_text(text).diagnostics;
        const auto is_unseen = [&](const Diagnostic& message) {
            return on_host(message) && std::find(seen.begin(), seen.end(), message) == seen.end();
        };
        diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(), is_unseen), diagnostics.end());
    }

    void mark_file(const std::string& from, const std::string& to) {
        if (options_.verbose) std::fprintf(stderr, "# mark the branches of %s in %s\n", from.c_str(), to.c_str());
        if (options_.dry_run) return;
        write_file(to, with_red_zones(with_heap_deletes(mark_branches(read_file(from)))));
    }

    /// Device code is linked with the rest, so the separate step has nothing to add: an empty object file.
    void link_device() {
        const std::string empty = temporary_.file("empty.cpp");
        write_file(empty, "");
        Command command = toolchain_.compiler;
        command.insert(command.end(), {"-c", empty, "-o", output_or("a_dlink.o")});
        step(command);
    }

    void archive(const std::vector<std::string>& items) {
        Command command = {"ar", "rcs", output_or("a.a")};
        command.insert(command.end(), items.begin(), items.end());
        step(command);
    }

    int run_program(const std::string& program) {
        Command command = {std::filesystem::absolute(program).string()};
        command.insert(command.end(), options_.run_arguments.begin(), options_.run_arguments.end());
        if (options_.verbose) std::fprintf(stderr, "%s\n", quoted(command).c_str());
        const int status = options_.dry_run ? static_cast<int>(fine) : run(command).value;
        std::error_code ignored;
        std::filesystem::remove(program, ignored);
        return status;
    }

    const Options& options_;
    Toolchain toolchain_;
    TemporaryFolder temporary_;
};

int main(const std::vector<std::string>& arguments) {
    Options options;
    try {
        options = parse_options(arguments);
        if (options.help || options.version) {
            std::printf("%s", options.help ? help_text().c_str()
                                           : ("simcc (gridutils) " + std::string(gridutils_version) + "\n").c_str());
            if (std::fflush(stdout) == 0) return fine;
            std::perror("simcc: cannot write to standard output");
            return failed;
        }
        if (options.inputs.empty()) throw UsageError("no input files; see simcc --help");
    } catch (const UsageError& error) {
        std::fprintf(stderr, "simcc: %s\n", error.what());
        return usage;
    }
    for (const std::string& warning : options.warnings) std::fprintf(stderr, "simcc: warning: %s\n", warning.c_str());
    try {
        return Driver(options).drive();
    } catch (const StepFailed&) {
        return failed;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "simcc: %s\n", error.what());
        return failed;
    }
}

}  // namespace
}  // namespace simcc

int main(int count, char** arguments) {
    const int status = simcc::main({arguments + 1, arguments + count});
    if (simcc::interrupted_by() != 0) std::raise(simcc::interrupted_by());  // by now the temporary files are gone
    return status;
}

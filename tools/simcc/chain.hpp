// SPDX-License-Identifier: MIT
#pragma once
// The chain of commands from the sources on a command line to its results.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/progress.hpp"
#include "common/simt/driver/foreign_headers.hpp"
#include "common/simt/driver/options.hpp"
#include "common/simt/driver/process.hpp"
#include "common/simt/driver/toolchain.hpp"
#include "common/simt/modules/module_text.hpp"
#include "tools/simcc/results.hpp"
#include "tools/simcc/translation.hpp"

namespace simcc {

enum ExitStatus { fine = 0, failed = 1, usage = 2 };

/// What act() returns, or, after a message, the exit status for what it throws.
template <typename Act>
int exit_status_of(Act act) {
    const auto failed_by = [](const std::exception& error, int status) {
        if (interrupted_by() == 0) std::fprintf(stderr, "%s: %s\n", called("simcc").c_str(), error.what());
        return status;
    };
    try {
        return act();
    } catch (const StepFailed&) {
        return failed;
    } catch (const UsageError& error) {
        return failed_by(error, usage);
    } catch (const Failure& failure) {
        return failed_by(failure, static_cast<int>(failure.exit()));
    } catch (const std::exception& error) {
        return failed_by(error, failed);
    }
}

class Chain {
public:
    explicit Chain(const Options& options)
        : options_(options),
          toolchain_(find_toolchain(options)),
          progress_(called("simcc"),
                    options.dry_run || options.verbose || options.jobs > 1 ? ShowSteps::never : options.progress) {}

    int run_all() {
        for (const std::string& name : options_.dry_run ? std::vector<std::string>{} : results_of(options_)) {
            if (options_.stage != Stage::compile || !only_compiler_writes_object(options_)) results_.open(name);
        }
        std::vector<std::string> items;
        const auto sources = std::count_if(options_.inputs.begin(), options_.inputs.end(), is_source);
        const bool at_once = options_.jobs > 1 && sources > 1 && options_.stage != Stage::preprocess;
        if (at_once) compile_at_once();
        for (const Input& input : options_.inputs) {
            if (is_source(input) && !at_once) compile_as_step(input, items.size(), sources);
            items.push_back(is_source(input) ? object_for(input, items.size()) : input.text);
        }
        progress_.end();
        switch (options_.stage) {
            case Stage::preprocess:
            case Stage::rewrite:
            case Stage::compile:
            case Stage::module: return fine;
            case Stage::device_link: return link_device(), fine;
            case Stage::archive: return archive(items), fine;
            case Stage::link: break;
        }
        const bool is_temporary = options_.run && options_.output.empty();
        const std::string program = is_temporary ? temporary_.file("a.out") : or_else(options_.output, "a.out");
        if (options_.shared || options_.loads_modules) {
            const std::string list = temporary_.file("shared.list");
            write_file(list, shared_symbols(toolchain_));
            items.push_back("-Wl,--dynamic-list=" + list);
        }
        if (options_.loads_modules) {  // for NVRTC
            const std::string self = temporary_.file("path.cpp");
            write_file(
                self,
                "extern \"C\" const char* const simt_compiler_path;\nconst char* const simt_compiler_path = R\"(" +
                    std::filesystem::canonical("/proc/self/exe").string() + ")\";\n");
            items.insert(items.end(), {"-x", "c++", self, "-x", "none"});
        }
        progress_.begin("linking " + program, StepUnit::parts);
        make(program, [&](const std::string& place) { step(link_command(toolchain_, options_, items, place)); });
        progress_.end();
        return options_.run ? run_program(program) : static_cast<int>(fine);
    }

private:
    /// Lets make_at(place) make a file; if it is a result, under a temporary name before it gets its own.
    template <typename MakeAt>
    void make(const std::string& name, MakeAt make_at) {
        if (name.empty() || !results_.has(name)) return make_at(name);
        const std::string place =
            temporary_.file("result-" + std::to_string(getpid()) + "-" + std::to_string(results_made_++));
        make_at(place);
        hand_over(place, name);
    }

    /// Gives a file that was made its contents, if the command line asks for it.
    void hand_over(const std::string& place, const std::string& name) {
        if (!results_.has(name)) return;
        if (options_.verbose) std::fprintf(stderr, "# write %s to %s\n", place.c_str(), name.c_str());
        results_.put(place, name);
    }

    /// Runs one command of the chain, or shows it.
    void step(const Command& command) {
        if (interrupted_by() != 0) throw StepFailed();
        if (options_.verbose) std::fprintf(stderr, "#$ %s\n", quoted(command).c_str());
        if (!options_.dry_run && !run(with_color(command), &progress_, temporary_.path()).ok()) throw StepFailed();
    }

    /// Runs one command of the chain, and keeps its messages.
    bool succeeds(const Command& command, std::string& messages) {
        if (interrupted_by() != 0) throw StepFailed();
        if (options_.verbose) std::fprintf(stderr, "#$ %s\n", quoted(command).c_str());
        const std::string file = temporary_.file("messages-" + std::to_string(getpid()));
        Command silent = {"sh", "-c", "exec \"$@\" 2>\"$0\"", file};
        silent.insert(silent.end(), command.begin(), command.end());
        const bool is_fine = run(silent, &progress_, temporary_.path()).ok();
        if (interrupted_by() != 0) throw StepFailed();
        messages = read_file(file);
        return is_fine;
    }

    void show(const std::string& messages) {
        if (!messages.empty()) progress_.hide();
        std::fwrite(messages.data(), 1, messages.size(), stderr);
    }

    /// Runs the preprocessor. Where no toolkit is found, it may miss a header that only a toolkit has.
    void preprocess_step(const Command& command) {
        if (!toolchain_.cuda_headers.empty() || options_.dry_run) return step(command);
        std::string messages;
        const bool is_fine = succeeds(command, messages);
        show(is_fine ? messages : with_origin_of_missing_header(messages));
        if (!is_fine) throw StepFailed();
    }

    /// A compiler that does not see the terminal, because its messages go through simcc, colors them on request only.
    Command with_color(Command command) const {
        const bool is_compiler = !command.empty() && command.front() == toolchain_.compiler.front();
        const auto speaks_of_color = [](const std::string& word) { return word.find("-color") != word.npos; };
        if ((progress_.is_enabled() || !options_.checked) && is_compiler && isatty(STDERR_FILENO) &&
            std::none_of(command.begin(), command.end(), speaks_of_color))
            command.push_back("-fdiagnostics-color=always");
        return command;
    }

    static bool is_source(const Input& input) { return input.language != Language::link_item; }

    void compile_at_once() {
        write_definitions();
        const auto compile_one = [&](std::size_t number) {
            const Input& input = options_.inputs[number];
            return exit_status_of([&] { return is_source(input) ? compile(input, number) : void(), fine; });
        };
        if (run_apart(options_.inputs.size(), options_.jobs, compile_one) != fine) throw StepFailed();
    }

    void compile_as_step(const Input& input, std::size_t number, std::ptrdiff_t sources) {
        ++sources_begun_;
        const std::string position =
            sources > 1 ? " (" + std::to_string(sources_begun_) + " of " + std::to_string(sources) + ")" : "";
        progress_.begin("compiling " + input.text + position, StepUnit::parts);
        compile(input, number);
    }

    void compile(const Input& input, std::size_t number) {
        if (options_.stage == Stage::preprocess) return preprocess(input);
        const std::string object = object_for(input, number);
        make(object, [&](const std::string& place) { compile_to(place, input, number, object); });
        if (options_.stage == Stage::module) {
            make(module_of(options_, input.text), [&](const std::string& place) {
                step(module_command(toolchain_, options_, object, place));
                if (options_.module_suffix == ".ptx" && std::filesystem::exists(place)) {
                    write_file(place, simt::module_text_of(read_file(place)));
                }
            });
        }
    }

    /// The object file of a source. Those on the way to a program are temporary.
    std::string object_for(const Input& input, std::size_t number) const {
        const bool is_result = options_.stage == Stage::compile;
        return is_result ? object_of(options_, input.text) : temporary_.file(std::to_string(number) + ".o");
    }

    std::string write_definitions() {
        const std::string definitions = temporary_.file("simcc_definitions.h");
        if (!has_definitions_) write_file(definitions, late_definitions(options_));
        has_definitions_ = true;
        return definitions;
    }

    void preprocess(const Input& input) {
        const auto preprocess_to = [&](const Options& options, const std::string& place) {
            const std::string target = renamed(input.text, ".o");
            step(input.language == Language::cuda
                     ? preprocess_command(toolchain_, options, input.text, write_definitions(), target, place)
                     : host_command(toolchain_, options, input, target, place));
        };
        with_dependencies(options_.dependencies.file, [&](const Options& options) {
            make(options_.output, [&](const std::string& place) { preprocess_to(options, place); });
        });
    }

    /// Calls act(options) with options that put the dependency file where it can be handed over.
    template <typename Act>
    void with_dependencies(const std::string& name, Act act) {
        Options options = options_;
        make(name, [&](const std::string& place) {
            options.dependencies.file = place;
            act(options);
        });
    }

    void compile_to(const std::string& place, const Input& input, std::size_t number, const std::string& object) {
        const std::string dependencies = options_.dependencies.wanted ? dependencies_of(options_, object) : "";
        if (input.language != Language::cuda) {
            if (!options_.dry_run) {
                translation_.refuse_absent_headers(output_in_silence(includes_command(toolchain_, options_, input)));
            }
            return with_dependencies(dependencies, [&](const Options& options) {
                step(host_command(toolchain_, options, input, object, place));
            });
        }
        const std::string preprocessed = temporary_.file(std::to_string(number) + ".ii");
        with_dependencies(dependencies, [&](const Options& options) {
            preprocess_step(
                preprocess_command(toolchain_, options, input.text, write_definitions(), object, preprocessed));
        });
        Options of_source = options_;
        of_source.lanes = translation_.lanes_of(preprocessed);
        if (of_source.lanes != options_.lanes) {
            of_source.dependencies.wanted = false;
            step(preprocess_command(toolchain_, of_source, input.text, write_definitions(), object, preprocessed));
        }
        Translation translation(of_source, toolchain_, progress_, temporary_, results_);
        const std::string rewritten = temporary_.file(std::to_string(number) + ".cu.cpp.ii");
        translation.rewrite_file(input.text, preprocessed, rewritten);
        hand_over(rewritten, rewritten_of(options_, input.text));
        if (options_.stage == Stage::rewrite) return;
        if (translation.has_lane_loops() && !options_.dry_run) {
            std::string messages;
            if (succeeds(with_color(compile_command(toolchain_, of_source, rewritten, place)), messages))
                return show(messages);
            // Either the program has errors, which the compiler should find in the program's own text, or the rewriter
            // has misunderstood it.
            translation.rewrite_on_stacks(preprocessed, rewritten);
        }
        if (!is_instrumented(of_source)) return step(compile_command(toolchain_, of_source, rewritten, place));
        const std::string assembly = temporary_.file(std::to_string(number) + ".s");
        step(compile_command(toolchain_, of_source, rewritten, assembly));
        const std::string marked = temporary_.file(std::to_string(number) + ".branches.s");
        translation.mark_file(assembly, marked);
        step(assemble_command(toolchain_, of_source, marked, place));
    }

    /// Device code is linked with the rest, so the separate step has nothing to add: an empty object file.
    void link_device() {
        const std::string empty = temporary_.file("empty.cpp");
        write_file(empty, "");
        make(or_else(options_.output, "a_dlink.o"), [&](const std::string& place) {
            Command command = toolchain_.compiler;
            command.insert(command.end(), {"-c", empty, "-o", place});
            step(command);
        });
    }

    void archive(const std::vector<std::string>& items) {
        make(or_else(options_.output, "a.a"), [&](const std::string& place) {
            Command command = {"ar", "rcs", place};
            command.insert(command.end(), items.begin(), items.end());
            step(command);
        });
    }

    int run_program(const std::string& program) {
        Command command = {std::filesystem::absolute(program).string()};
        command.insert(command.end(), options_.run_arguments.begin(), options_.run_arguments.end());
        if (options_.verbose) std::fprintf(stderr, "#$ %s\n", quoted(command).c_str());
        const int status = options_.dry_run ? static_cast<int>(fine) : run(command).value;
        std::error_code ignored;
        std::filesystem::remove(program, ignored);
        return status;
    }

    const Options& options_;
    Toolchain toolchain_;
    Progress progress_;
    std::size_t sources_begun_ = 0;
    TemporaryFolder temporary_{"simcc", false};  // a signal first ends the child, see catch_signals()
    Results results_;
    std::size_t results_made_ = 0;
    bool has_definitions_ = false;
    Translation translation_{options_, toolchain_, progress_, temporary_, results_};
};

}  // namespace simcc

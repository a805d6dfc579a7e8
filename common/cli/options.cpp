// SPDX-License-Identifier: MIT
// make: -O0 (it includes the largest library here; optimizing that takes longer than parsing options ever will)
#include "common/cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "common/cli/completion.hpp"
#include "common/cli/program.hpp"
#include "common/io/output.hpp"
#include "common/io/process.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "common/measure/version.hpp"

namespace {

// Whether "auto" will probably be the simulator: guesses whether there is a GPU without starting a driver, which takes
// long. (The device nodes are those of the drivers for PCs, WSL and Jetson.)
bool seems_without_gpu() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!gpu::backend || (visible && !*visible)) return true;
    for (const char* node : {"/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-gpu", "/dev/nvgpu"})
        if (access(node, F_OK) == 0) return false;
    return true;
}

// The common options that apply to a program, then its own.
OptionTable option_table(const Program& program, Options& options, void (*add_checks)(Options&, OptionTable&)) {
    OptionTable table;
    table.begin(OptionGroup::general);
    table.add({"-h", "", "print the options that people use, and exit", "", [](const std::string&) {}});
    table.add({"--help", "", "print all options and exit", "", [](const std::string&) {}});
    table.add({"-V,--version", "", "print the version and exit", "", [](const std::string&) {}});
    if (program.has_kernels) options.add_device_options(table);
    if (program.prints_table) options.add_table_options(table);
    options.add_basic_options(table);
    if (add_checks) add_checks(options, table);
    if (program.benchmark) options.add_benchmark_options(table, program);
    if (program.has_kernels && program.most_operands > 0 && program.input_files) options.add_input_option(table);
    table.begin(OptionGroup::own);
    if (program.options) program.options(options.own, table);
    return table;
}

// Whether a run with these options would use the simulator.
bool is_simulated(const Options& options) {
    if (options.checks.any() || options.by_line || options.annotate || options.device == "sim") return true;
    return options.device == "auto" && seems_without_gpu();
}

constexpr const char* headings[] = {"Options of its own", "Input",  "Variants and device",
                                    "Measuring",          "Output", "Simulator and checks",
                                    "Several devices",    "Help"};

std::string usage_of(const Program& program, std::size_t width) {
    const std::string command =
        fmt::format("Usage: {} [OPTION]...{}{}", called(program.name), *program.operands ? " " : "", program.operands);
    return wrapped(command, width, 7) + '\n' + wrapped(program.summary, width) + '\n';
}

// An option with its help, in lines of this width. A long option has its first line for itself.
std::string line_of(const OptionRow& row, std::size_t width, bool simulated) {
    constexpr std::size_t help_column = 29;
    std::string flags = row.flags;
    if (flags.size() > 2 && flags[1] != '-') flags.insert(flags.find(',') + 1, " ");
    else if (flags.size() > 2) flags = "    " + flags;
    if (!row.argument.empty()) flags += (row.has_optional_argument() ? "" : " ") + row.argument;
    std::string words = row.help;
    if (const std::string fallback = row.fallback.shown(simulated); !fallback.empty())
        words += fmt::format("{}[{}]", words.empty() ? "" : " ", fallback);
    if (width < 2 * help_column) return fmt::format("  {}\n      {}\n", flags, wrapped(words, width, 6, 6));
    words = wrapped(words, width, help_column, help_column);
    if (flags.size() + 3 > help_column) return fmt::format("  {}\n{:{}}{}\n", flags, "", help_column, words);
    return fmt::format("  {:<26} {}\n", flags, words);
}

// All options, in their groups.
std::string help_of(const Program& program, const OptionTable& table, const Options& options) {
    const std::size_t width = help_width();
    const bool simulated = is_simulated(options);
    std::string help = usage_of(program, width);
    for (std::size_t group = 0; group < std::size(headings); ++group) {
        std::string lines;
        for (const OptionRow& row : table.rows())
            if (row.group == static_cast<OptionGroup>(group)) lines += line_of(row, width, simulated);
        if (!lines.empty()) help += fmt::format("\n{}:\n{}", headings[group], lines);
    }
    const std::string codes = fmt::format(
        "Exit codes: 0 fine, 1 wrong result, 2 usage, 3 {}, 4 bad input, 5 output not written{}. See {}(1) and "
        "gridutils(7).",
        program.has_kernels ? "CUDA error" : "out of memory",
        program.has_kernels ? ", 77 no such device, 86 findings of --check" : "", called(program.name));
    return help + '\n' + wrapped(codes, width) + '\n';
}

// The ten options that people use: the first of the program's own, then those of all programs.
std::string short_help_of(const Program& program, const OptionTable& table, const Options& options) {
    constexpr std::size_t most = 10, least_own = 3;
    const std::size_t width = help_width();
    const bool simulated = is_simulated(options);
    const auto is_everyday = [](const OptionRow& row) { return row.is_everyday; };
    const auto everyday =
        static_cast<std::size_t>(std::count_if(table.rows().begin(), table.rows().end(), is_everyday));
    std::vector<const OptionRow*> shown;
    for (const OptionRow& row : table.rows())
        if (row.group == OptionGroup::own && shown.size() < std::max(least_own, most - std::min(most, everyday)))
            shown.push_back(&row);
    for (std::size_t group = 0; group < std::size(headings); ++group)
        for (const OptionRow& row : table.rows())
            if (row.group == static_cast<OptionGroup>(group) && is_everyday(row) && shown.size() < most)
                shown.push_back(&row);
    std::string help = usage_of(program, width) + "\nExamples:\n";
    for (const char* example : program.examples) help += fmt::format("  {}\n", example);
    help += "\nOptions:\n";
    for (const OptionRow* row : shown) help += line_of(*row, width, simulated);
    return help + '\n' +
           wrapped(
               fmt::format("{0} --help shows all options; {0}(1), as in man {0}, explains them.", called(program.name)),
               width) +
           '\n';
}

// Reports an unknown option, with the nearest one that exists.
[[noreturn]] void fail_unknown(const Program& program, const OptionTable& table, const std::string& word) {
    std::vector<std::string> names;
    for (const OptionRow& row : table.rows())
        for (const std::string& flag : split(row.flags, ',')) names.push_back(flag);
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(name, names);
    fail(Exit::usage, "unknown option '{}'{}; {} --help lists them", name,
         nearest.empty() || name.size() < 3 ? "" : "; did you mean '" + nearest + "'?", called(program.name));
}

// The operands. A word before "--" that looks like an option is an unknown one.
std::vector<std::string> operands_among(const Program& program, const OptionTable& table,
                                        std::vector<std::string> words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
    const auto unknown = std::find_if(words.begin(), end, is_option);
    if (unknown != end) fail_unknown(program, table, *unknown);
    words.erase(std::remove(words.begin(), words.end(), "--"), words.end());
    if (words.size() > program.most_operands)
        fail(Exit::usage, "unexpected operand '{}': {} takes {}; {} --help shows the usage",
             words[program.most_operands], called(program.name),
             program.most_operands == 0 ? "none" : text("at most {}", program.most_operands), called(program.name));
    return words;
}

// An option as it was typed: its row, and its argument, "" for none.
struct Typed {
    const OptionRow* row;
    std::string argument;
};

// The options as typed, in order; if one is repeated, its last argument counts, or each if it takes all.
std::vector<Typed> typed_options(const Program& program, const OptionTable& table, int argc, char** argv,
                                 std::vector<std::string>& others) {
    CLI::App app;
    app.set_help_flag("");
    app.allow_extras();
    std::vector<std::pair<const CLI::Option*, const OptionRow*>> known;
    for (const OptionRow& row : table.rows()) {
        CLI::Option* option = row.argument.empty() || row.has_optional_argument()
                                  ? app.add_flag(row.flags)
                                  : app.add_option(row.flags)->type_name(row.argument)->expected(1);
        option->multi_option_policy(row.takes_all ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
        known.emplace_back(option, &row);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        fail(Exit::usage, "{}; {} --help shows the options", error.what(), called(program.name));
    }
    others = app.remaining();
    std::vector<Typed> typed;
    std::map<const CLI::Option*, std::size_t> given;
    for (const CLI::Option* option : app.parse_order()) {
        const auto of_option = [=](const auto& one) { return one.first == option; };
        const OptionRow* row = std::find_if(known.begin(), known.end(), of_option)->second;
        const std::size_t index = row->takes_all ? given[option]++ : option->results().size() - 1;
        std::string argument = option->results()[index];
        const bool is_flag = row->argument.empty(),
                   left_out = (is_flag || row->has_optional_argument()) && argument == "true";
        if (is_flag && !left_out)
            fail(Exit::usage, "{} takes no value, but '{}' is given; {} --help shows the options", row->long_name(),
                 argument, called(program.name));
        // An empty argument is a mistake in a script, such as a variable that was never set, so no option accepts one.
        if (argument.empty())
            fail(Exit::usage, "{} is empty: give it a value or leave it out; {} --help shows which", row->long_name(),
                 called(program.name));
        typed.push_back({row, left_out ? "" : argument});
    }
    return typed;
}

// Sets the fields. A wrong argument does not stop the rest: --color, which the error message needs, may be among them.
void take(const std::vector<Typed>& typed) {
    std::exception_ptr first_failure;
    for (const Typed& option : typed) {
        try {
            option.row->take(option.argument);
        } catch (const Failure&) {
            if (!first_failure) first_failure = std::current_exception();
        }
    }
    if (first_failure) std::rethrow_exception(first_failure);
}

// What a lecture's name for a kernel, or its ladder, needs to be the lecture's, unless the user says otherwise.
void take_from_lectures(const Program& program, const OptionTable& table, const std::set<std::string>& given,
                        const Options& options) {
    if (!program.lectures) return;
    for (const auto& [name, values] : options_for(*program.lectures, options.kernels))
        for (const OptionRow& row : table.rows())
            if (row.long_name() == name && given.count(name) == 0) row.take(values);
}

// For --help, which shows the defaults of the requested device.
void take_what_is_right(const std::vector<Typed>& typed) {
    try {
        take(typed);
    } catch (const Failure&) {  // the user asked for help
    }
}

// The rules that involve several options.
void complete(const std::set<std::string>& given, Options& options) {
    simt::check::Settings& checks = options.checks;
    checks.counters |= options.by_line || options.annotate;
    // An option that only says how to check implies all checks.
    const bool implied = given.count("--schedule") > 0 || given.count("--print-limit") > 0;
    if (implied && !checks.any_check() && !checks.counters) options.choose_all_checks(checks);
    if (options.weak && !options.gang) fail(Exit::usage, "--weak is for several devices: add --gang, or leave it out");
    if (options.gang && !options.gpu_model.empty())  // what is not a GPU must be a list
        options.predict.gangs = parse_counts(options.gpu_model, "gang", 2, 1 << 20);
    if (!options.predict.gangs.empty() && !options.gang)
        fail(Exit::usage, "--predict extrapolates from measured gangs: add --gang, or leave it out");
    for (const char* name : {"--per-machine", "--network-latency", "--network-bandwidth", "--links"})
        if (given.count(name) > 0 && options.predict.gangs.empty())
            fail(Exit::usage, "{} is for predictions: add --predict, or leave it out", name);
    if (checks.any() && !options.predict.gangs.empty())
        fail(Exit::usage, "--predict needs times, and a checked run takes none; leave one of them out");
    if (checks.any() && !options.versus.empty())
        fail(Exit::usage, "--versus compares times, and a checked run takes none; leave one of them out");
}

// Checked last: an option that is ignored on every device should be left out, not moved to another device.
void refuse_checks_of_gpus(const Options& options) {
    if (options.checks.trace && options.device != "auto" && options.device != "sim")
        fail(Exit::usage, "--steps watches threads in the simulator: leave --device {} out", options.device);
    if (options.checks.any() && options.device != "auto" && options.device != "sim")
        fail(Exit::usage,
             "only the simulator checks and counts: leave --device {} out, or run compute-sanitizer or ncu on it",
             options.device);
}

// Refuses options that would be ignored, with operands or without.
void refuse_ignored(const Program& program, const OptionTable& table, const std::set<std::string>& given,
                    const Options& options) {
    if (given.count("--profile") > 0 && options.checks.any())
        fail(Exit::usage,
             "--profile is for tools that watch a GPU, and a checked run uses none; leave one of them out");
    if (options.checks.trace)
        for (const OptionRow& row : table.rows())
            if (given.count(row.long_name()) > 0 && row.is_for_benchmarks &&
                (row.group == OptionGroup::measuring || row.group == OptionGroup::checks))
                fail(Exit::usage, "{} is for measurements, and --steps makes none: leave one of them out",
                     row.long_name());
    if (!program.benchmark || !program.input_files) return;
    if (options.operands.empty()) {
        if (given.count("--input-format") > 0)
            fail(Exit::usage, "--input-format is for files: name one, or - for standard input");
        return;
    }
    const std::string& operand = options.operands.front();
    if (given.count("--size") > 0)
        fail(Exit::usage, "--size is for generated input: '{}' has a size of its own", operand);
    for (const OptionRow& row : table.rows())
        if (row.is_for_benchmarks && given.count(row.long_name()) > 0)
            fail(Exit::usage, "{} is for benchmarks, and with '{}' {} is a filter: leave one of them out",
                 row.long_name(), operand, called(program.name));
    if (options.format.value_or(Format::jsonl) != Format::jsonl && !options.checks.trace)
        fail(Exit::usage, "with '{}' {} is a filter, which prints only its result, or --json: leave {} out", operand,
             called(program.name), given.count("--csv") > 0 ? "--csv" : "--format");
}

// A file that is read or written, with its name in the program's usage.
struct NamedFile {
    std::string name, path;
};

// Operands are named as in the usage, "BASE OTHER..."; the last name may stand for several.
std::vector<NamedFile> inputs_among(const Program& program, const std::vector<std::string>& operands) {
    std::string usage = program.operands;
    std::erase_if(usage, [](char letter) { return letter == '[' || letter == ']' || letter == '.'; });
    const std::vector<std::string> names = split(usage, ' ');
    std::vector<NamedFile> inputs;
    for (std::size_t i = 0; i < operands.size(); ++i)
        inputs.push_back({names[std::min(i, names.size() - 1)], operands[i]});
    return inputs;
}

void refuse_shared_pipes(const std::vector<NamedFile>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (std::size_t other = 0; other < i; ++other) {
            const NamedFile &first = inputs[other], &second = inputs[i];
            if (first.path == "-" && second.path == "-")
                fail(Exit::usage, "only one {} can be standard input, which is read once",
                     first.name == second.name ? first.name : text("of {} and {}", first.name, second.name));
            if (is_read_once(second.path) && input_identity(first.path) == input_identity(second.path))
                fail(Exit::usage, "{} and {} are the same pipe, which is read once: name another input for one of them",
                     first.path, second.path);
        }
    }
}

// An output may not also be an input or another output. Results go to standard output unless --output names a file.
void refuse_shared_files(const Program& program, const std::vector<Typed>& typed, const Options& options) {
    std::vector<NamedFile> inputs, outputs;
    if (program.input_files) inputs = inputs_among(program, options.operands);
    std::set<std::string> seen;
    for (const Typed& option : typed) {
        if (!seen.insert(option.row->long_name()).second && !option.row->takes_all) continue;
        if (option.row->file == FileUse::input) inputs.push_back({option.row->long_name(), option.argument});
        if (option.row->file == FileUse::output) outputs.push_back({option.row->long_name(), option.argument});
    }
    if (seen.count("--output") == 0) outputs.push_back({"the results", "-"});
    refuse_shared_pipes(inputs);
    const auto shown = [](const std::string& path, const char* standard) {
        return path == "-" ? std::string(standard) : "'" + path + "'";
    };
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [name, path] = outputs[i];
        const std::string identity = output_identity(path);
        if (identity.empty()) continue;
        const std::string output = shown(path, "standard output");
        for (const NamedFile& input : inputs)
            if (input_identity(input.path) == identity)
                fail(Exit::usage, "{} and {} are the same file, both read and written: write to another one",
                     shown(input.path, "standard input"), output);
        for (std::size_t k = i + 1; k < outputs.size(); ++k) {
            const NamedFile& other = outputs[k];
            if (output_identity(other.path) != identity) continue;
            if (path == "-" && other.path == "-")
                fail(Exit::usage, "{} and {} would both be written to standard output: name a file for one of them",
                     name, other.name);
            fail(Exit::usage, "{} and {} are the same file, written twice: write to two files", output,
                 shown(other.path, "standard output"));
        }
    }
}

void print_to_standard_output(const std::string& words) {
    Output output("");
    output.write(words);
    output.commit();
}

}  // namespace

bool parse_options(const Program& program, int argc, char** argv, Options& options,
                   void (*add_checks)(Options&, OptionTable&)) {
    if (program.benchmark) options.sizes = {parse_sizes(program.sizes), parse_sizes(program.simulator_sizes)};
    const OptionTable table = option_table(program, options, add_checks);
    if (argc > 1 && argv[1] == std::string("--complete")) {
        std::string lines;
        for (const Candidate& candidate : completions(program, table, {argv + 2, argv + argc}))
            lines += candidate.word + (candidate.help.empty() ? "" : "\t" + candidate.help) + '\n';
        print_to_standard_output(lines);
        return false;
    }
    std::vector<std::string> others;
    const std::vector<Typed> typed = typed_options(program, table, argc, argv, others);
    options.operands = operands_among(program, table, others);
    std::set<std::string> given;
    for (const Typed& option : typed) given.insert(option.row->long_name());
    if (given.count("-h") + given.count("--help") + given.count("--version") > 0) {
        take_what_is_right(typed);
        print_to_standard_output(given.count("--help") > 0 ? help_of(program, table, options)
                                 : given.count("-h") > 0
                                     ? short_help_of(program, table, options)
                                     : fmt::format("{} (gridutils) {}\n", called(program.name), gridutils_version));
        return false;
    }
    take(typed);
    take_from_lectures(program, table, given, options);
    complete(given, options);
    refuse_ignored(program, table, given, options);
    refuse_checks_of_gpus(options);
    options.is_bare = typed.empty() && options.operands.empty();
    refuse_shared_files(program, typed, options);
    return true;
}

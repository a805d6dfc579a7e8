#include "common/cli/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/io/dtype.hpp"
#include "common/io/output.hpp"
#include "common/io/text.hpp"
#include "common/cli/version.hpp"

namespace {

const std::vector<OptionSpec> basic_options = {
    {"-h,--help", nullptr, "print this help and exit", ""},
    {"-V,--version", nullptr, "print the version and exit", ""},
    {"-d,--device", "DEVICE", "auto, gpu, N, N,M, all, UUID, PCI id or sim", "auto"},
    {"-l,--list", nullptr, "list the variants, or the devices, and exit", ""},
    {"-f,--format", "FORMAT", "human, csv, tsv, jsonl or md; human on a terminal, else csv", ""},
    {"--csv", nullptr, "the same as --format csv", ""},
    {"--json", nullptr, "the same as --format jsonl", ""},
    {"--no-header", nullptr, "leave the header line out", ""},
    {"-o,--output", "FILE", "write to FILE, which appears complete or not at all", ""},
    {"-q,--quiet", nullptr, "no notices on standard error", ""},
    {"-v,--verbose", nullptr, "more notices on standard error", ""},
    {"--color", "WHEN", "auto, always or never", "auto"},
    {"--progress", "WHEN", "auto, always or never: progress on standard error", "auto"},
};

const std::vector<OptionSpec> checking_options = {
    {"--check", "[=LIST]", "watch every access: memcheck,racecheck,initcheck,synccheck,leakcheck,unusedcheck", ""},
    {"--schedule", "ORDER", "of checked threads: independent, lockstep or random:SEED", "independent"},
    {"--print-limit", "N", "findings that are printed; all are counted", "100"},
};

const std::vector<OptionSpec> benchmark_options = {
    {"-n,--size", "LIST", "elements: 1Ki,4Mi or A:B:xF or A:B:+S; k M G = 10^3.., Ki Mi Gi = 2^10..", ""},
    {"-k,--kernel", "LIST", "variants to run: names or globs", "*"},
    {"-t,--dtype", "TYPE", "element type: f32, f64, i32, ...", ""},
    {"-b,--block", "THREADS", "threads per block", ""},
    {"-w,--warmup", "N", "untimed launches before the samples (simulator: 1)", "3"},
    {"-r,--samples", "N", "timed launches at most (simulator: 5)", "30"},
    {"--max-ci", "PCT", "stop once the median's 95 % interval is within this many percent; 0: never", "1"},
    {"--timeout", "SECONDS", "stop sampling a variant after this time", "15"},
    {"--cache", "STATE", "cold: the L2 cache is flushed before every sample; warm: it is not", "cold"},
    {"--ladder", nullptr, "add step, cumulative and over-CPU speed-ups", ""},
    {"--versus", "NAME", "sample every variant in turns with this one and add their ratio", ""},
    {"--raw", nullptr, "a row per sample", ""},
    {"--seed", "N", "seed of the generated input", "42"},
    {"--no-verify", nullptr, "time without comparing results with the reference", ""},
    {"--tol", "X", "relative error allowed instead of the bound from size, type and operation", ""},
    {"--profile", nullptr, "one launch of each variant in an NVTX range, for ncu, nsys and compute-sanitizer", ""},
    {"--counters", nullptr, "count memory requests, conflicts and branches of each variant in the simulator", ""},
    {"--by-line", nullptr, "the same with a row per source line", ""},
    {"--annotate", nullptr, "the same as the source with counters beside its lines", ""},
};

const OptionSpec input_format_option = {"--input-format", "FORMAT", "text, npy or raw:TYPE instead of what the input looks like",
                                        ""};

std::string long_name_of(const OptionSpec& option) {
    const std::string flags = option.flags;
    return flags.substr(flags.find("--") + 2);
}

// "[=LIST]": the argument may be left out, and is joined by '='.
bool has_optional_argument(const OptionSpec& option) { return option.argument && option.argument[0] == '['; }

std::string help_of(const Program& program) {
    std::string help = fmt::format("Usage: {} [OPTION]...{}{}\n{}\n\n", program.name, *program.operands ? " " : "",
                                   program.operands, program.summary);
    for (const OptionSpec& option : option_table(program)) {
        std::string flags = option.flags;
        if (flags[1] != '-') flags.insert(flags.find(',') + 1, " ");
        else flags = "    " + flags;
        if (option.argument) flags += (has_optional_argument(option) ? "" : " ") + std::string(option.argument);
        help += fmt::format("  {:<26} {}", flags, option.help);
        if (*option.fallback) help += fmt::format(" [{}]", option.fallback);
        help += '\n';
    }
    return help + fmt::format("\nExit codes: 0 fine, 1 wrong result, 2 usage, 3 CUDA error, 4 bad input, 5 output not written,\n"
                              "77 no such device, 86 findings of --check. See {}(1) and gridutils(7).\n", program.name);
}

double parse_number(const std::string& text, const std::string& what, double smallest, double largest) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= smallest && value <= largest))
        fail(Exit::usage, "{} '{}' is not a number from {} to {}", what, text, smallest, largest);
    return value;
}

When parse_when(const std::string& text, const std::string& what) {
    if (text == "auto") return When::automatic;
    if (text == "always") return When::always;
    if (text == "never") return When::never;
    fail(Exit::usage, "{} '{}' is none of auto, always, never", what, text);
}

// The first argument that no option of the program explains, with the nearest one that exists.
[[noreturn]] void fail_unknown(const Program& program, const std::string& word) {
    std::vector<std::string> names;
    for (const OptionSpec& option : option_table(program))
        for (const std::string& flag : split(option.flags, ',')) names.push_back(flag);
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(name, names);
    fail(Exit::usage, "unknown option '{}'{}; {} --help lists them", name,
         nearest.empty() || name.size() < 3 ? "" : "; did you mean '" + nearest + "'?", program.name);
}

// What the options of the checked simulator ask for. One that only says how to check asks for all checks.
void convert_checking(const std::map<std::string, std::string>& value, Options& options) {
    simt::checking::Settings& watch = options.watch;
    const auto refuse = [](const std::string& wrong) {
        if (!wrong.empty()) fail(Exit::usage, "{}", wrong);
    };
    options.by_line = value.count("by-line") > 0;
    options.annotate = value.count("annotate") > 0;
    watch.counters = options.by_line || options.annotate || value.count("counters") > 0;
    if (options.is_given("schedule")) refuse(parse_schedule(value.at("schedule"), watch));
    watch.print_limit = static_cast<unsigned>(parse_count(value.at("print-limit"), "--print-limit", 1'000'000'000));
    const bool implied = !watch.counters && (options.is_given("schedule") || options.is_given("print-limit"));
    const bool with_list = options.is_given("check") && value.at("check") != "true";
    if (with_list) refuse(parse_checks(value.at("check"), watch));
    else if (implied || options.is_given("check")) refuse(parse_checks("all,leakcheck", watch));
    if (watch.any() && options.is_given("versus"))
        fail(Exit::usage, "--versus compares times, and a checked run takes none; leave one of them out");
    if (watch.any() && options.device != "auto" && options.device != "sim")
        fail(Exit::usage, "only the simulator checks and counts: leave --device {} out, or run compute-sanitizer or ncu on it",
             options.device);
}

// What was typed, by long name; an option that was not is as its table says.
void add_defaults(const std::vector<OptionSpec>& table, std::map<std::string, std::string>& typed) {
    for (const OptionSpec& option : table) {
        if (!option.argument || has_optional_argument(option)) continue;
        const std::string name = long_name_of(option);
        const bool depends_on_backend = name == "size" || name == "dtype";
        typed.emplace(name, depends_on_backend ? "" : option.fallback);
    }
}

// An empty argument is a slip of a script, such as a variable that was never set: no option means anything by it.
void refuse_empty(const Program& program, const std::map<std::string, std::string>& typed) {
    for (const auto& [name, argument] : typed)
        if (argument.empty())
            fail(Exit::usage, "--{} is empty: give it a value or leave it out; {} --help shows which", name, program.name);
}

// The words that are no options: the operands, and what looks like an option but is none.
std::vector<std::string> operands_among(const Program& program, std::vector<std::string> words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
    const auto unknown = std::find_if(words.begin(), end, is_option);
    if (unknown != end) fail_unknown(program, *unknown);
    words.erase(std::remove(words.begin(), words.end(), "--"), words.end());
    if (words.size() > program.most_operands)
        fail(Exit::usage, "unexpected operand '{}': {} takes {}; {} --help shows the usage", words[program.most_operands],
             program.name, program.most_operands == 0 ? "none" : text("at most {}", program.most_operands), program.name);
    return words;
}

void print_to_standard_output(const std::string& words) {
    Output output("");
    output.write(words);
    output.commit();
}

void convert(const Program& program, const std::map<std::string, std::string>& value, Options& options) {
    const auto whole = [&](const char* name, std::size_t smallest, std::size_t largest) {
        const std::size_t number = parse_count(value.at(name), std::string("--") + name);
        if (number < smallest || number > largest)
            fail(Exit::usage, "--{} '{}' is not from {} to {}", name, value.at(name), smallest, largest);
        return number;
    };
    options.device = value.at("device");
    options.list = value.count("list") > 0;
    options.format = value.count("csv") ? "csv" : value.count("json") ? "jsonl" : value.at("format");
    options.header = value.count("no-header") == 0;
    options.output_path = value.at("output");
    options.quiet = value.count("quiet") > 0;
    options.verbose = value.count("verbose") > 0;
    options.color = parse_when(value.at("color"), "--color");
    options.progress = parse_when(value.at("progress"), "--progress");
    convert_checking(value, options);
    if (value.count("input-format") && !value.at("input-format").empty())
        options.input_format = parse_input_format(value.at("input-format"));
    if (!value.count("size")) return;  // not a benchmark: the rest does not apply
    options.sizes = value.at("size");
    if (!options.sizes.empty() && !program.shapes) parse_sizes(options.sizes);
    options.kernels = split(value.at("kernel"), ',');
    if (!value.at("dtype").empty()) options.dtype = parse_dtype(value.at("dtype"), program.dtypes);
    options.block = static_cast<unsigned>(whole("block", 1, 1024));
    options.warmup = static_cast<int>(whole("warmup", 0, 1'000'000));
    options.samples = static_cast<int>(whole("samples", 1, 1'000'000));
    options.max_ci_percent = parse_number(value.at("max-ci"), "--max-ci", 0, 100);
    options.timeout_s = parse_number(value.at("timeout"), "--timeout", 0.001, 1e6);
    if (value.at("cache") != "cold" && value.at("cache") != "warm")
        fail(Exit::usage, "--cache '{}' is neither cold nor warm", value.at("cache"));
    options.cold_cache = value.at("cache") == "cold";
    options.ladder = value.count("ladder") > 0;
    options.versus = value.at("versus");
    options.raw = value.count("raw") > 0;
    options.seed = parse_count(value.at("seed"), "--seed");
    options.verify = value.count("no-verify") == 0;
    if (!value.at("tol").empty()) options.tolerance = parse_number(value.at("tol"), "--tol", 0, 1);
    options.profile = value.count("profile") > 0;
}

}  // namespace

std::vector<OptionSpec> option_table(const Program& program) {
    std::vector<OptionSpec> table = basic_options;
    table.insert(table.end(), checking_options.begin(), checking_options.end());
    if (program.benchmark) table.insert(table.end(), benchmark_options.begin(), benchmark_options.end());
    if (program.most_operands > 0 && program.input_files) table.push_back(input_format_option);
    for (OptionSpec& option : table) {
        if (long_name_of(option) == "block") option.fallback = program.block;
        if (long_name_of(option) == "size") option.fallback = program.sizes;
    }
    table.insert(table.end(), program.options.begin(), program.options.end());
    return table;
}

Options parse_options(const Program& program, int argc, char** argv, bool& done) {
    CLI::App app;
    app.set_help_flag("");
    app.allow_extras();
    std::map<std::string, std::string> typed;
    std::map<std::string, std::vector<std::string>> optional;  // "true" where the argument was left out
    const std::vector<OptionSpec> table = option_table(program);
    for (const OptionSpec& option : table) {
        const std::string name = long_name_of(option);
        if (has_optional_argument(option))
            app.add_flag(option.flags, optional[name]);
        else if (option.argument)
            app.add_option_function<std::string>(option.flags, [&typed, name](const std::string& text) { typed[name] = text; })
                ->type_name(option.argument)
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        else
            app.add_flag_callback(option.flags, [&typed, name] { typed[name] = "1"; })
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        fail(Exit::usage, "{}; {} --help shows the options", error.what(), program.name);
    }
    for (const auto& [name, words] : optional)
        if (!words.empty()) typed[name] = words.back();
    Options options;
    options.operands = operands_among(program, app.remaining());
    done = typed.count("help") > 0 || typed.count("version") > 0;
    if (done) {
        print_to_standard_output(typed.count("help") ? help_of(program)
                                                     : fmt::format("{} (gridutils) {}\n", program.name, gridutils_version));
        return options;
    }
    refuse_empty(program, typed);
    for (const auto& [name, value] : typed) options.given.insert(name);
    add_defaults(table, typed);
    convert(program, typed, options);
    for (const OptionSpec& option : program.options)
        if (typed.count(long_name_of(option))) options.own[long_name_of(option)] = typed.at(long_name_of(option));
    if (!options.operands.empty() && options.is_given("size"))
        fail(Exit::usage, "--size is for generated input: '{}' has a size of its own", options.operands.front());
    if (!options.format.empty()) parse_format(options.format);
    return options;
}

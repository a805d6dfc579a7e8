// SPDX-License-Identifier: MIT
// A program's command line in typed fields, and the option rows that set them.
#pragma once

#include <algorithm>
#include <any>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/io/number_reader.hpp"
#include "common/measure/settings.hpp"

enum class When { automatic, always, never };
constexpr Choice<When> whens[] = {{"auto", When::automatic}, {"always", When::always}, {"never", When::never}};

struct Options : MeasureSettings {
    std::string device = "auto";
    bool list = false;
    std::optional<Format> format;  // none: human on a terminal and csv elsewhere
    std::string output_path;
    bool quiet = false, verbose = false;
    When color = When::automatic, progress = When::automatic;
    PerBackend<std::vector<std::size_t>> sizes = {};  // the program's, if none are given
    std::vector<std::string> kernels;                 // names or globs; empty for all
    std::optional<DType> dtype;
    std::optional<InputFormat> input_format;  // none: detected from the input
    std::vector<std::string> operands;
    bool is_bare = false;                                         // no word was typed after the program's name
    std::any own;                                                 // the program's own options: its struct
    void (*choose_all_checks)(simt::check::Settings&) = nullptr;  // set with the rows of --check

    // The rows of the option table. (Templates, so that only the parser compiles them.)
    template <typename Table>
    void add_device_options(Table& table) {
        table.begin(Table::Group::variants);
        table.text("-d,--device", "DEVICE", "auto, gpu, all, sim, N, N,M, UUID or PCI id", device).everyday();
        table.flag("-l,--list", "list the variants, or the devices, and exit", list).for_benchmarks();
    }

    template <typename Table>
    void add_table_options(Table& table) {
        table.begin(Table::Group::output);
        table
            .read("-f,--format", "FORMAT", "human, csv, tsv, jsonl or md; human on a terminal, else csv", "", format,
                  parse_format)
            .everyday();
        table.flag("--csv", "the same as --format csv", format, Format::csv);
        table.flag("--tsv", "the same as --format tsv", format, Format::tsv);
        table.flag("--json", "the same as --format jsonl", format, Format::jsonl);
        table.flag("--no-header", "leave the header line out", header).for_benchmarks();
    }

    template <typename Table>
    void add_basic_options(Table& table) {
        table.begin(Table::Group::output);
        table.output_file("-o,--output", "FILE", "write to FILE, which appears complete or not at all", output_path)
            .everyday();
        table.flag("-q,--quiet", "no notices on standard error", quiet);
        table.flag("-v,--verbose", "more notices on standard error", verbose);
        table.choice("--color", "WHEN", "color on standard error", color, whens);
        table.choice("--progress", "WHEN", "progress on standard error", progress, whens);
    }

    template <typename Table>
    void add_check_options(Table& table) {
        choose_all_checks = [](simt::check::Settings& settings) { parse_checks("", settings); };
        // parse_checks() knows which checks --check without a list means, and returns what is wrong with a list.
        const auto refuse = [](const std::string& wrong) {
            if (!wrong.empty()) fail(Exit::usage, "{}", wrong);
        };
        table.begin(Table::Group::checks);
        table
            .add({"--check", "[=LIST]",
                  "memcheck, racecheck, initcheck, synccheck, leakcheck, unusedcheck or all: check every access", "",
                  [this, refuse](const std::string& list) { refuse(parse_checks(list, checks)); }})
            .everyday();
        const bool independent = checks.schedule == simt::Schedule::independent;
        table.add({"--schedule", "ORDER", "independent, lockstep or random:SEED: how checked threads take turns",
                   independent ? "independent" : "",
                   [this, refuse](const std::string& order) { refuse(parse_schedule(order, checks)); }});
        table.whole("--print-limit", "N", "findings to print; all are counted", checks.print_limit, 0, 1'000'000'000);
    }

    template <typename Table>
    void add_benchmark_options(Table& table, const Program& program) {
        table.begin(Table::Group::input);
        table
            .read("-n,--size", "LIST",
                  std::string(program.unit) + ": 1Ki,4Mi, A:B, A:B:xF or A:B:+S; k M G = 10^3.., Ki Mi Gi = 2^10..",
                  {program.sizes, program.simulator_sizes}, sizes, parse_sizes)
            .everyday();
        table.begin(Table::Group::variants);
        table.list("-k,--kernel", "VARIANTS", "variants: names, globs, @LADDER; all by default", kernels).everyday();
        table.begin(Table::Group::input);
        if (!program.dtypes.empty())
            table.read("-t,--dtype", "TYPE", names_of(program.dtypes) + ": element type",
                       name_of(program.dtypes.front()), dtype,
                       [&](const std::string& name) { return parse_dtype(name, program.dtypes); });
        MeasureSettings::add_options(table);
        if (program.lectures && !published_metrics(*program.lectures).empty())
            add_published_option(table, *program.lectures);
        if (program.shows_steps) {
            table.begin(Table::Group::variants);
            table.flag("--steps", "show what the threads of a small block do, step by step, in the simulator",
                       checks.trace);
        }
        if (program.gangs == Gangs::on_request) {
            add_gang_options(table);
            // The same option as for a GPU's model, which no list of numbers is.
            table
                .add({"--predict", "WHAT", "a GPU as elsewhere; --gang: gangs of so many devices, as in 16,64", "",
                      [this](const std::string& what) {
                          if (what.find_first_not_of("0123456789,") != what.npos) gpu_model = what;
                          else predict.gangs = parse_counts(what, "gang", 2, 1 << 20);
                      }})
                .for_benchmarks();
            add_prediction_options(table);
        }
    }

    template <typename Table>
    void add_published_option(Table& table, const Lectures& lectures) {
        table.begin(Table::Group::measuring);
        table
            .add({"--published", "[=SOURCE]", "add the figures that lectures publish; SOURCE: one lecture, or GPU", "",
                  [this, &lectures](const std::string& source) {
                      const auto is_it = [&](const LectureRow& row) {
                          return !row.figures.empty() && is_of_source(row, source);
                      };
                      if (std::none_of(lectures.begin(), lectures.end(), is_it))
                          fail(Exit::usage, "--published: no figures of '{}'; there are those of {}", source,
                               list_text(published_sources(lectures), "and"));
                      published = source;
                  }})
            .for_benchmarks();
    }

    template <typename Table>
    void add_input_option(Table& table) {
        table.begin(Table::Group::input);
        table.read("--input-format", "FORMAT", list_text(input_formats(), "or") + ": instead of detecting it", "",
                   input_format, parse_input_format);
    }
};

// The rows of --check and its companions. They need the simulator, which programs without kernels do not link.
void add_check_rows(Options& options, OptionTable& table);

// Parses the command line into `options`; their color is set even if something else is wrong. Returns false if nothing
// is left to do, because --help, --version or --complete has printed to standard output. Throws Failure(usage) with one
// message, which names the nearest option for a misspelled one.
bool parse_options(const Program& program, int argc, char** argv, Options& options,
                   void (*add_checks)(Options&, OptionTable&) = add_check_rows);

// SPDX-License-Identifier: MIT
#include "common/cli/session.hpp"

#include <algorithm>
#include <string_view>

#include "common/io/number_writer.hpp"
#include "common/io/pipeline.hpp"
#include "common/io/process.hpp"
#include "common/io/progress.hpp"
#include "common/io/text.hpp"
#include "common/measure/vector_units.hpp"

ShowSteps shown_steps(const Options& options) {
    if (options.progress == When::always) return ShowSteps::always;
    return options.progress == When::never || options.quiet ? ShowSteps::never : ShowSteps::when_long;
}

static bool is_named(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Session::Session(const Program& program_, const Options& options_, const DeviceInfo& device_, Output& output_)
    : Run(program_.name, program_.columns, program_.counts_in_simulator, program_.shown_counters, program_.lectures,
          options_, device_, output_),
      program(program_),
      options(options_),
      progress_(std::make_unique<Progress>(program_.name, shown_steps(options_))) {}

Session::~Session() = default;

StepCount& Session::begin_step(const std::string& what, StepUnit unit) { return progress_->begin(what, unit); }

void Session::end_step() { progress_->end(); }

void Session::write(NumberWriter& writer) {
    end_step();
    // On a terminal the result itself shows the progress.
    if (output.is_terminal()) return writer.finish(output);
    const std::string& path = options.output_path;
    const std::string where = path.empty() || path == "-" ? "" : " to " + path;
    writer.finish(output, &begin_step("writing the result" + where, StepUnit::bytes));
    end_step();
}

Format Session::format() const { return options.format.value_or(output.is_terminal() ? Format::human : Format::csv); }

DType Session::dtype() const { return options.dtype.value_or(program.dtypes.front()); }

int Session::warmup() const { return options.warmup.on(device); }

int Session::samples() const { return options.samples.on(device); }

bool Session::names(const std::string& variant) const {
    if (options.versus == variant) return true;
    for (const std::string& word : options.kernels)
        if (word == variant || (program.lectures && is_named(variants_called(*program.lectures, word), variant)))
            return true;
    return false;
}

void Session::leave_out(const std::string& variant, const std::string& why) const {
    if (names(variant)) fail(Exit::unavailable, "{}: {}", variant, why);
    detail(text("{} is left out: {}", variant, why));
}

std::vector<std::string> ladder_words(const Program& program) {
    std::vector<std::string> ladders;
    if (program.lectures)
        for (const std::string& ladder : ladders_of(*program.lectures)) add_once(ladders, "@" + ladder);
    for (const Variant* variant : program.variants)
        if (*variant->ladder) add_once(ladders, std::string("@") + variant->ladder);
    return ladders;
}

// The variants that a word of --kernel stands for, in the order of its ladder or else of the program's table; none for
// an unknown name.
static std::vector<std::string> variants_for(const Program& program, const std::string& word) {
    std::vector<std::string> names;
    const std::string ladder = word.substr(word[0] == '@' ? 1 : 0);
    if (word[0] == '@' && program.lectures) names = steps_of(*program.lectures, ladder);
    if (!names.empty()) return names;
    for (const Variant* variant : program.variants)
        if (word[0] == '@' ? !ladder.empty() && variant->ladder == ladder : matches_glob(word, variant->name))
            names.emplace_back(variant->name);
    if (names.empty() && program.lectures) names = variants_called(*program.lectures, word);
    return names;
}

static void refuse_kernel(const Program& program, const std::string& word) {
    const std::vector<std::string> ladders = ladder_words(program);
    if (word[0] == '@')
        fail(Exit::usage, "unknown ladder '{}'; {} has {}", word, program.name,
             ladders.empty() ? "none" : list_text(ladders, "and"));
    std::vector<std::string> all;
    for (const Variant* variant : program.variants) all.push_back(variant->name);
    const std::string nearest = nearest_name(word, all);
    fail(Exit::usage, "unknown kernel '{}'{}; {} --list shows them", word,
         nearest.empty() ? "" : "; did you mean '" + nearest + "'?", called(program.name));
}

std::vector<const Variant*> Session::wanted() const {
    std::vector<std::string> names;
    bool in_order_of_words = false;
    for (const std::string& word : options.kernels) {
        const std::vector<std::string> more = variants_for(program, word);
        if (more.empty()) refuse_kernel(program, word);
        in_order_of_words |= word[0] == '@';
        names.insert(names.end(), more.begin(), more.end());
    }
    std::vector<const Variant*> variants;
    for (const Variant* variant : program.variants)
        if (names.empty() || options.versus == variant->name || is_named(names, variant->name))
            variants.push_back(variant);
    const auto place = [&](const Variant* of) { return std::find(names.begin(), names.end(), of->name); };
    if (in_order_of_words)
        std::stable_sort(variants.begin(), variants.end(),
                         [&](const Variant* one, const Variant* other) { return place(one) < place(other); });
    return variants;
}

std::vector<const Variant*> Session::selected() const {
    std::vector<const Variant*> chosen;
    std::string left_out;
    for (const Variant* variant : wanted()) {
        if (variant->needs == Needs::gpu && device.simulated) {
            if (names(variant->name))
                fail(Exit::unavailable, "{} needs a GPU: the simulator does not model what it uses", variant->name);
            left_out += (left_out.empty() ? "" : ", ") + std::string(variant->name);
            continue;
        }
        chosen.push_back(variant);
    }
    if (!left_out.empty()) detail("left out because they need a GPU: " + left_out);
    return chosen;
}

const Variant& Session::filter_variant(const char* fallback) const {
    if (options.kernels.empty()) {
        const auto is_fallback = [=](const Variant* variant) { return variant->name == std::string(fallback); };
        return **std::find_if(program.variants.begin(), program.variants.end(), is_fallback);
    }
    const std::vector<const Variant*> chosen = selected();
    if (chosen.size() != 1) fail(Exit::usage, "--kernel names {} variants; a filter uses one", chosen.size());
    if (chosen.front()->needs == Needs::host)
        fail(Exit::usage, "{} runs on the host; choose a kernel for the device", chosen.front()->name);
    return *chosen.front();
}

bool Session::computes_on_host() const { return device.simulated && !device.checked && options.kernels.empty(); }

void Session::say_where_filters_compute() const {
    const unsigned cores = PipelineShape{}.threads;
    if (computes_on_host() && options.block != MeasureSettings{}.block)
        notice(
            "the host computes, without blocks of threads: --block has no effect; -d sim -k NAME simulates a kernel");
    if (computes_on_host())
        detail(text("{} core{} with {} compute{}, and no lane is simulated; -d sim -k NAME simulates a kernel", cores,
                    cores == 1 ? "" : "s", name_of(vector_units()), cores == 1 ? "s" : ""));
    else if (gang.size() > 1) detail(text("the pieces of the input are dealt to {} devices", gang.size()));
}

void Session::say(const std::string& message, Weight weight) const {
    progress_->hide();
    print_message(program.name, message, options.color, weight);
}

void Session::complain(const std::string& message) const { say(message, Weight::error); }

void Session::notice(const std::string& message) const {
    if (!options.quiet) say(message, Weight::notice);
}

void Session::detail(const std::string& message) const {
    if (options.verbose) say(message, Weight::notice);
}

// SPDX-License-Identifier: MIT
#include "common/cli/forecast.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/table_reader.hpp"
#include "common/io/text.hpp"
#include "common/measure/parallel.hpp"

// The variable's value is the GPU's model.
static const char* const variable = "GRIDUTILS_FORECAST";

bool is_forecast() { return std::getenv(variable) != nullptr; }

void become_forecast(Options& options) {
    predict_for(std::getenv(variable));
    options.checks = {};
    options.checks.predict = options.checks.sample_only = true;
    fill_at_most(simt::check::most_bytes_of_sample);
    options.by_line |= options.annotate;
    options.checks.predict_lines = options.by_line;
    options.device = "sim";
    options.format = Format::jsonl;  // whose rows can be of two kinds
    options.header = true;
    options.output_path.clear();
    options.verify = options.raw = options.ladder = options.annotate = options.gang = false;
    options.versus.clear();
    options.columns.clear();
    options.published.reset();
    options.quiet = true;
    options.progress = When::never;
}

// SIMCC_PREDICT is also the variable of programs that simcc has built. An option is stronger.
static bool is_switched_off(const Options& options) {
    const char* const wanted = std::getenv("SIMCC_PREDICT");
    return wanted && std::strcmp(wanted, "0") == 0 && options.gpu_model.empty();
}

bool wants_forecast(const Program& program, const Options& options, const DeviceInfo& device) {
    return device.simulated && program.benchmark && options.operands.empty() && options.predicts_times &&
           options.checks.line_bytes == 32 && !options.checks.any_check() && !options.profile && !options.gang &&
           program.gangs != Gangs::always && checked::backend && !is_forecast() && !is_switched_off(options) &&
           program.is_predicted;
}

// Waits for the process, or ends it, with all that it has started, after so many seconds. Returns its status.
static int await(pid_t process, double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) {
            kill(-process, SIGKILL);
            waitpid(process, &status, 0);
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return shell_status(status);
}

// The cost of a line of a kernel.
static void read_line(const DataTable& table, std::size_t row, PredictedTime& time) {
    const std::string kernel = table.column("launched").word(row);
    const double ns = table.column("p_predicted_ns").number(row);
    if (time.costs.empty() || time.costs.back().kernel != kernel) {
        time.costs.emplace_back().kernel = kernel;
        time.costs.back().predicted = {text("{} with n = {}", time.gpu, time.n), table.column("p_limiter").word(row),
                                       0};
    }
    time.costs.back().predicted->ns += ns;
    auto& line = time.costs.back().lines.emplace_back();
    line.file = table.column("file").word(row);
    line.line = unsigned(table.column("line").number(row));
    line.function = table.column("function").word(row);
    line.predicted_ns = ns;
}

// The row of a variant is followed by those of its lines, if they are wanted.
static void read_rows(const std::string& path, PredictedTimes& times) {
    const DataTable table = read_table(path, Lists::skip);
    const TableColumn &kernels = table.column("kernel"), &dtypes = table.column("dtype"), &n = table.column("n"),
                      &bytes = table.column("bytes"), &flop = table.column("flop"),
                      &gpu = table.column("p_predicted_gpu"), &ns = table.column("p_predicted_ns"),
                      &low = table.column("p_predicted_low_ns"), &high = table.column("p_predicted_high_ns"),
                      &limiter = table.column("p_limiter"), &occupancy = table.column("p_predicted_occupancy_percent"),
                      &gbyte = table.column("p_predicted_peak_gbyte_per_s"),
                      &gflop = table.column("p_predicted_peak_gflop_per_s");
    const TableColumn* const launched = table.find("launched");
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (launched && !launched->is_empty(row)) {
            if (PredictedTime* const time = times.last(kernels.word(row))) read_line(table, row, *time);
            continue;
        }
        std::optional<PredictedTime> time;
        if (ns.number(row) > 0)
            time = {gpu.word(row),         dtypes.word(row),  std::size_t(n.number(row)),
                    bytes.number(row),     flop.number(row),  ns.number(row),
                    low.number(row),       high.number(row),  limiter.word(row),
                    occupancy.number(row), gbyte.number(row), gflop.number(row)};
        times.add(kernels.word(row), time);
    }
}

PredictedTimes forecast(const Options& options, char** argv, std::string& problem) {
    constexpr double most_seconds = 60;
    PredictedTimes times;
    const std::string& name = options.gpu_model;
    times.set_gpu(name_of_gpu(name));
    const TemporaryFolder folder("gridutils-forecast");
    const std::string path = folder.file("rows");
    const int rows = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const int silence = options.verbose ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    std::vector<std::string> command = {"/proc/self/exe"};
    for (char** word = argv + 1; *word; ++word) command.push_back(*word);
    ProgramStart how;
    how.output = rows;
    how.errors = silence;
    how.has_input = false;
    how.is_group = true;
    how.additions = {{variable, name}};
    if (!std::getenv("SIMCC_TIMEOUT")) how.additions.push_back({"SIMCC_TIMEOUT", "1"});
    const pid_t process = start_program(command, how);
    const int status = process > 0 ? await(process, most_seconds) : 127;
    if (rows >= 0) close(rows);
    if (silence >= 0) close(silence);
    if (status != 0) problem = text("the forecast ended with status {}", status);
    try {
        read_rows(path, times);
    } catch (const Failure& failure) {
        if (problem.empty()) problem = failure.what();
    }
    return times;
}

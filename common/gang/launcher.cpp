// SPDX-License-Identifier: MIT
#include "common/gang/launcher.hpp"

#include <charconv>
#include <optional>
#include <system_error>

#include "common/io/text.hpp"

namespace {

// More must be a mistake, and would exhaust the machine's memory before anyone could report it.
constexpr std::size_t most_processes = std::size_t{1} << 16;

// The variables of a launcher.
struct Launcher {
    const char* name;
    const char* process;
    const char* processes;
    const char* local;
    const char* locals;
    std::vector<const char*> job;  // together they name the run
    bool others_set_process;       // `process` alone does not prove that this launcher started the process
};

// Slurm comes last: an MPI launcher or torchrun may run within a Slurm step. Only srun sets SLURM_STEP_NUM_TASKS; a
// batch script has other variables of Slurm, too.
const std::vector<Launcher>& launchers() {
    static const std::vector<Launcher> all = {
        {"Open MPI",
         "OMPI_COMM_WORLD_RANK",
         "OMPI_COMM_WORLD_SIZE",
         "OMPI_COMM_WORLD_LOCAL_RANK",
         "OMPI_COMM_WORLD_LOCAL_SIZE",
         {"PMIX_NAMESPACE"},
         false},
        {"torchrun",
         "RANK",
         "WORLD_SIZE",
         "LOCAL_RANK",
         "LOCAL_WORLD_SIZE",
         {"TORCHELASTIC_RUN_ID", "MASTER_PORT", "TORCHELASTIC_RESTART_COUNT"},
         false},
        {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", {}, false},
        {"srun",
         "SLURM_PROCID",
         "SLURM_STEP_NUM_TASKS",
         "SLURM_LOCALID",
         "SLURM_STEP_TASKS_PER_NODE",
         {"SLURM_JOB_ID", "SLURM_STEP_ID"},
         true},
    };
    return all;
}

std::string value_of(const Variables& variable, const char* name) {
    const char* const value = variable(name);
    return value ? value : "";
}

std::optional<std::size_t> number_in(const std::string& word) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

// How many tasks a node has, according to a list of a step's nodes such as "4(x2),3".
std::optional<std::size_t> tasks_of_node(const std::string& list, std::size_t node) {
    std::size_t first = 0;
    for (const std::string& part : split(list, ',')) {
        const std::size_t times = part.find("(x");
        std::size_t nodes = 1;
        if (times != part.npos) {
            const auto repeated = number_in(part.substr(times + 2, part.size() - times - 3));
            if (!repeated || part.back() != ')') return std::nullopt;
            nodes = *repeated;
        }
        if (node < first + nodes) return number_in(part.substr(0, times));
        first += nodes;
    }
    return std::nullopt;
}

class Reader {
public:
    Reader(const Variables& variable, const Launcher& launcher) : variable_(variable), launcher_(launcher) {}

    bool is_there() const {
        return variable_(launcher_.processes) || (!launcher_.others_set_process && variable_(launcher_.process));
    }
    // The first variable that is missing; null if none is.
    const char* missing() const {
        for (const char* name : {launcher_.process, launcher_.processes, launcher_.local, launcher_.locals})
            if (!variable_(name)) return name;
        return nullptr;
    }

    World read() const {
        World world;
        world.launcher = launcher_.name;
        world.process = number(launcher_.process);
        world.processes = number(launcher_.processes);
        world.local = number(launcher_.local);
        world.locals = is_slurm() ? tasks_of_this_node() : number(launcher_.locals);
        if (world.processes > most_processes)
            fail(Exit::usage, "{}={} is more than {} processes; {}", launcher_.processes, world.processes,
                 most_processes, remedy());
        check_below(launcher_.process, world.process, launcher_.processes, world.processes);
        check_below(launcher_.local, world.local, launcher_.locals, world.locals);
        if (world.locals > world.processes)
            fail(Exit::usage, "{} says {} processes on this machine, but {} only {} in all; {}", launcher_.locals,
                 world.locals, launcher_.processes, world.processes, remedy());
        for (const char* name : launcher_.job)
            if (variable_(name)) world.job += (world.job.empty() ? "" : ".") + value_of(variable_, name);
        return world;
    }

    std::string remedy() const {
        return text("start the program by {}, or unset {} and {}", launcher_.name, launcher_.process,
                    launcher_.processes);
    }

private:
    bool is_slurm() const { return launcher_.others_set_process; }

    std::size_t number(const char* name) const {
        const std::string value = value_of(variable_, name);
        const auto found = number_in(value);
        if (!found) fail(Exit::usage, "{}='{}' is not a whole number; {}", name, printable(value, 40), remedy());
        return *found;
    }

    std::size_t tasks_of_this_node() const {
        const std::size_t node = variable_("SLURM_NODEID") ? number("SLURM_NODEID") : 0;
        const std::string list = value_of(variable_, launcher_.locals);
        const auto tasks = tasks_of_node(list, node);
        if (!tasks)
            fail(Exit::usage, "{}='{}' does not say how many tasks node {} has; {}", launcher_.locals,
                 printable(list, 40), node, remedy());
        return *tasks;
    }

    void check_below(const char* name, std::size_t number, const char* name_of_count, std::size_t count) const {
        if (number < count) return;
        fail(Exit::usage, "{}={} is not below {}={}; {}", name, number, name_of_count, count, remedy());
    }

    const Variables& variable_;
    const Launcher& launcher_;
};

}  // namespace

World find_world(const Variables& variable) {
    std::optional<std::string> incomplete;
    for (const Launcher& launcher : launchers()) {
        const Reader reader(variable, launcher);
        if (!reader.is_there()) continue;
        const char* const missing = reader.missing();
        if (!missing) return reader.read();
        const char* const there = variable(launcher.processes) ? launcher.processes : launcher.process;
        if (!incomplete) incomplete = text("{} is set, but {} is not; {}", there, missing, reader.remedy());
    }
    if (incomplete) fail(Exit::usage, "{}", *incomplete);
    return {};
}

std::vector<DeviceInfo> own_devices(const std::vector<DeviceInfo>& all, const World& world) {
    const std::size_t devices = all.size(), locals = world.locals;
    if (devices < locals) return {all[world.local % devices]};
    if (devices % locals != 0) {
        std::vector<std::string> divisors;
        for (std::size_t count = 1; count <= devices; ++count)
            if (devices % count == 0) divisors.push_back(std::to_string(count));
        fail(Exit::usage, "{} processes share {} devices: start {} on each machine, or choose {} of them with -d",
             locals, devices, list_text(divisors, "or"), devices / locals * locals);
    }
    const auto each = static_cast<std::ptrdiff_t>(devices / locals);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(world.local) * each;
    return {first, first + each};
}

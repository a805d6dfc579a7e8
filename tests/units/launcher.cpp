// SPDX-License-Identifier: MIT
// The meaning of the launchers' variables, and which are refused. Prints each broken promise and exits 1;
// tests/launch.bats compiles and runs it.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "common/gang/launcher.hpp"
#include "common/io/text.hpp"

static int broken = 0;

static void promise(bool kept, const std::string& what) {
    if (!kept) std::printf("broken: %s\n", what.c_str()), ++broken;
}

using Set = std::map<std::string, std::string>;

static World world_of(const Set& set) {
    return find_world([&](const char* name) {
        const auto found = set.find(name);
        return found == set.end() ? nullptr : found->second.c_str();
    });
}

static void means(const Set& set, const World& wanted) {
    std::string name = set.empty() ? "nothing" : set.begin()->first;
    try {
        const World world = world_of(set);
        promise(world.process == wanted.process && world.processes == wanted.processes && world.local == wanted.local &&
                    world.locals == wanted.locals && world.job == wanted.job &&
                    std::string(world.launcher) == wanted.launcher,
                text("{}: {} of {}, {} of {}, job '{}' by '{}'", name, world.process, world.processes, world.local,
                     world.locals, world.job, world.launcher));
    } catch (const Failure& failure) {
        promise(false, name + ": " + failure.what());
    }
}

static void refused(const Set& set, const std::string& words) {
    try {
        world_of(set);
        promise(false, "not refused: " + words);
    } catch (const Failure& failure) {
        const std::string message = failure.what();
        promise(failure.exit() == Exit::usage && message.find(words) != message.npos, words + " is not in: " + message);
        promise(message.find("start the program by ") != message.npos, "no remedy: " + message);
    }
}

static Set with(Set set, const Set& more) {
    for (const auto& [name, value] : more) set[name] = value;
    return set;
}

static Set without(Set set, const std::string& name) {
    set.erase(name);
    return set;
}

static const Set open_mpi = {{"OMPI_COMM_WORLD_RANK", "5"},
                             {"OMPI_COMM_WORLD_SIZE", "8"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
static const Set torchrun = {{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "3"}, {"LOCAL_WORLD_SIZE", "4"}};
static const Set mpich = {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"}};
static const Set srun = {{"SLURM_PROCID", "9"},
                         {"SLURM_STEP_NUM_TASKS", "11"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"},
                         {"SLURM_NODEID", "2"}};

static void every_launcher_is_known() {
    means({}, {});
    means(open_mpi, {5, 8, 1, 4, "", "Open MPI"});
    means(with(open_mpi, {{"PMIX_NAMESPACE", "prte-node7@1"}}), {5, 8, 1, 4, "prte-node7@1", "Open MPI"});
    means(torchrun, {3, 4, 3, 4, "", "torchrun"});
    means(with(torchrun, {{"TORCHELASTIC_RUN_ID", "x"}, {"MASTER_PORT", "29500"}, {"TORCHELASTIC_RESTART_COUNT", "2"}}),
          {3, 4, 3, 4, "x.29500.2", "torchrun"});
    means(mpich, {0, 2, 0, 2, "", "MPICH"});
    means(srun, {9, 11, 1, 3, "", "srun"});
    means(with(srun, {{"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NODEID", "1"}}),
          {9, 11, 1, 4, "77.0", "srun"});
}

static void one_launcher_may_start_another() {
    means(with(srun, open_mpi), {5, 8, 1, 4, "", "Open MPI"});
    means(with(srun, torchrun), {3, 4, 3, 4, "", "torchrun"});
    // srun sets some of MPICH's variables.
    means(with(srun, {{"PMI_RANK", "9"}, {"PMI_SIZE", "11"}}), {9, 11, 1, 3, "", "srun"});
    // A batch script is not a launcher.
    means({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}, {"SLURM_JOB_ID", "77"}}, {});
}

static void what_cannot_be_is_refused() {
    for (const Set& set : {open_mpi, torchrun, mpich})
        for (const auto& [name, value] : set) refused(without(set, name), name + " is not");
    refused(without(srun, "SLURM_PROCID"), "SLURM_PROCID is not");
    refused(with(open_mpi, {{"OMPI_COMM_WORLD_RANK", "8"}}),
            "OMPI_COMM_WORLD_RANK=8 is not below OMPI_COMM_WORLD_SIZE=8");
    refused(with(open_mpi, {{"OMPI_COMM_WORLD_SIZE", "0"}}),
            "OMPI_COMM_WORLD_RANK=5 is not below OMPI_COMM_WORLD_SIZE=0");
    refused(with(torchrun, {{"LOCAL_RANK", "4"}}), "LOCAL_RANK=4 is not below LOCAL_WORLD_SIZE=4");
    refused(with(torchrun, {{"LOCAL_WORLD_SIZE", "5"}}), "LOCAL_WORLD_SIZE says 5 processes on this machine");
    for (const char* word : {"", "-1", "1.5", "x", "3 ", "99999999999999999999999"})
        refused(with(torchrun, {{"RANK", word}}), text("RANK='{}' is not a whole number", word));
    for (const char* list : {"", "x", "4(x2", "4(x1)", "(x3)"})
        refused(with(srun, {{"SLURM_STEP_TASKS_PER_NODE", list}}), text("SLURM_STEP_TASKS_PER_NODE='{}'", list));
}

static std::string shared_out(std::size_t devices, std::size_t local, std::size_t locals) {
    std::vector<DeviceInfo> all(devices);
    for (std::size_t i = 0; i < devices; ++i) all[i].ordinal = int(i);
    std::string own;
    World world;
    world.local = local, world.locals = locals, world.processes = locals;
    try {
        for (const DeviceInfo& device : own_devices(all, world)) own += std::to_string(device.ordinal);
    } catch (const Failure& failure) {
        return failure.what();
    }
    return own;
}

static void devices_are_shared_out() {
    promise(shared_out(8, 3, 8) == "3", "one each");
    promise(shared_out(8, 1, 2) == "4567", "four each");
    promise(shared_out(4, 0, 1) == "0123", "all");
    promise(shared_out(1, 5, 8) == "0", "one that each sees");
    promise(shared_out(2, 5, 8) == "1", "two that each sees");
    const std::string refusal = shared_out(4, 0, 3);
    promise(refusal == "3 processes share 4 devices: start 1, 2 or 4 on each machine, or choose 3 of them with -d",
            refusal);
}

int main() {
    every_launcher_is_known();
    one_launcher_may_start_another();
    what_cannot_be_is_refused();
    devices_are_shared_out();
    return broken > 0;
}

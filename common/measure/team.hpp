// SPDX-License-Identifier: MIT
// The processes that measure together, started by a launcher such as mpirun. This class is a single process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/io/failure.hpp"

class Team {
public:
    using Gather = std::function<std::vector<std::string>(const std::string& mine)>;

    virtual ~Team();
    virtual std::size_t process() const { return 0; }
    virtual std::size_t processes() const { return 1; }
    virtual bool is_one_machine() const { return true; }

    // What each process passes, in process order. All processes call it equally often; each waits for the others.
    virtual std::vector<std::string> gather(const std::string& mine) { return {mine}; }
    // From now on `faster` gathers. (The devices can, but only once they have been set up.)
    virtual void gather_by(Gather faster);
    virtual bool gathers_by_devices() const { return true; }

    // Prints why this process fails and tells the others, so that they end, too. Returns the exit code of the first
    // failure in any of the processes.
    virtual Exit fail(const std::string& message, Exit exit);

    // Of the processes that know the same, only one tells the user.
    bool speaks() const { return process() == 0; }

    // These are the same in all processes.
    bool any(bool mine);          // whether it is true in any process
    double longest(double mine);  // the maximum over all processes

    static Team& alone();
};

// The processes of a gang, see common/gang/process_team.hpp. Only programs with gangs contain those.
class GangTeam : public Team {
public:
    // Whether the processes share a folder, in which they can exchange texts before there are devices.
    virtual bool has_folder() const = 0;
    virtual const char* launcher() const = 0;  // "mpirun"

    // Throws Failure(usage) if a process runs another build than the first one, or has other options.
    virtual void check_alike() const = 0;

    // The devices of all processes, in the order of their ranks; `all` are the gang's devices on this machine. Throws
    // Failure if two ranks would drive the same GPU, or if some devices are simulated and some are not.
    virtual std::vector<DeviceInfo> gang_of(const std::vector<DeviceInfo>& all) = 0;

    // To be called when the run has succeeded.
    virtual void finish() = 0;
};

// What a process joins the others with. The command must be the same in all, see GangTeam::check_alike(). `say` prints a
// message; `last_words` prints what is left to say when a signal ends this process.
struct Joining {
    std::string command;
    std::function<void(const std::string& message)> say;
    std::function<void()> last_words;
};

// Joins the other processes, if a launcher has started several; else null.
using JoinGang = std::unique_ptr<GangTeam>(const Joining& with);

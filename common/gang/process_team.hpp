// SPDX-License-Identifier: MIT
// The processes of a gang, which a launcher has started. Only one prints. If one fails, or a signal ends it, all end.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/gang/contact.hpp"
#include "common/gang/ending_signals.hpp"
#include "common/gang/launcher.hpp"
#include "common/gang/rendezvous.hpp"
#include "common/gang/watch.hpp"
#include "common/measure/team.hpp"

class ProcessTeam final : public Team {
public:
    using Say = std::function<void(const std::string& message)>;

    // Joins the others. `build` and `command` are what is run and how: they must be the same in all, see check_alike().
    // `say` prints a message; `last_words` prints what is left to say when a signal ends this process.
    ProcessTeam(const World& world, const std::string& build, const std::string& command, Say say,
                std::function<void()> last_words);
    ~ProcessTeam() override;

    std::size_t process() const override { return world_.process; }
    std::size_t processes() const override { return world_.processes; }
    bool is_one_machine() const override { return world_.is_one_machine(); }
    std::vector<std::string> gather(const std::string& mine) override;
    void gather_by(Gather faster) override;
    bool gathers_by_devices() const override { return static_cast<bool>(faster_); }
    Exit fail(const std::string& message, Exit exit) override;

    // Whether the processes share a folder, in which they can exchange texts before there are devices.
    bool has_folder() const { return rendezvous_ != nullptr; }

    // Throws Failure(usage) if a process runs another build than the first one, or has other options.
    void check_alike() const;

    // The devices of all processes, in the order of their ranks; `all` are the gang's devices on this machine. Throws
    // Failure if two ranks would drive the same GPU, or if some devices are simulated and some are not.
    std::vector<DeviceInfo> gang_of(const std::vector<DeviceInfo>& all);

    // To be called when the run has succeeded.
    void finish();

private:
    std::string name_of(std::size_t process) const;
    std::string own_words() const;
    void compare(const std::vector<std::string>& words) const;
    void check_devices(const std::vector<DeviceInfo>& gang) const;

    const World world_;
    const std::string build_, command_;
    const Say say_;
    std::unique_ptr<EndingSignals> signals_;
    std::unique_ptr<Contact> contact_;
    Rendezvous* rendezvous_ = nullptr;  // the contact; null between machines without a common folder
    std::unique_ptr<Watch> watch_;
    Gather faster_;
    std::size_t questions_ = 0, own_devices_ = 0;
    std::optional<Exit> failed_;
};

// The executable's build id in hexadecimal; "unknown" if it has none.
std::string build_of_this_program();

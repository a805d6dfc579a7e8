// SPDX-License-Identifier: MIT
// The processes of a gang, which a launcher has started. Only one prints. If one fails, or a signal ends it, all end.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/gang/contact.hpp"
#include "common/gang/ending_signals.hpp"
#include "common/gang/join.hpp"
#include "common/gang/launcher.hpp"
#include "common/gang/rendezvous.hpp"
#include "common/gang/watch.hpp"
#include "common/measure/team.hpp"

class ProcessTeam final : public GangTeam {
public:
    // Joins the others.
    ProcessTeam(const World& world, const Joining& with);
    ~ProcessTeam() override;

    std::size_t process() const override { return world_.process; }
    std::size_t processes() const override { return world_.processes; }
    bool is_one_machine() const override { return world_.is_one_machine(); }
    std::vector<std::string> gather(const std::string& mine) override;
    void gather_by(Gather faster) override;
    bool gathers_by_devices() const override { return static_cast<bool>(faster_); }
    Exit fail(const std::string& message, Exit exit) override;

    bool has_folder() const override { return rendezvous_ != nullptr; }
    const char* launcher() const override { return world_.launcher; }
    void check_alike() const override;
    std::vector<DeviceInfo> gang_of(const std::vector<DeviceInfo>& all) override;
    void finish() override;

private:
    std::string name_of(std::size_t process) const;
    std::string own_words() const;
    void compare(const std::vector<std::string>& words) const;
    void check_devices(const std::vector<DeviceInfo>& gang) const;

    const World world_;
    const std::string build_;
    const Joining with_;
    std::unique_ptr<EndingSignals> signals_;
    std::unique_ptr<Contact> contact_;
    Rendezvous* rendezvous_ = nullptr;  // the contact; null between machines without a common folder
    std::unique_ptr<Watch> watch_;
    Gather faster_;
    std::size_t questions_ = 0, own_devices_ = 0;
    std::optional<Exit> failed_;
};

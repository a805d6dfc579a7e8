// SPDX-License-Identifier: MIT
// A thread that ends this process soon after another process of the run has failed or ended, whatever the main thread
// is waiting for: a device, a collective, NCCL.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "common/gang/contact.hpp"

class Watch {
public:
    // `say` prints the message of a process that could not do so itself. `last_words` is called before a signal ends
    // this process.
    Watch(Contact& contact, std::size_t process, std::function<void(const std::string& message)> say,
          std::function<void()> last_words);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    void look();
    [[noreturn]] void end_with(Exit exit);
    [[noreturn]] void end_by(int signal);

    Contact& contact_;
    const std::size_t process_;
    const std::function<void(const std::string&)> say_;
    const std::function<void()> last_words_;
    int looks_at_own_failure_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
    std::thread thread_;
};

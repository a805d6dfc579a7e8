// SPDX-License-Identifier: MIT
// How the processes of a run find each other and learn of each other's end: through a folder that all of them see. Each
// has a card there, a file that says who it is, and holds a lock on it while it lives. The locks of another machine
// cannot be queried: there, a process lives as long as it increments the counter on its card.
//
// The folder may contain cards of an earlier run that was killed or is about to end. A run is complete when its first
// process has seen live cards of all others that name the first one's random number, and has then written a hash of all
// their numbers on its own card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/gang/contact.hpp"
#include "common/gang/launcher.hpp"
#include "common/gang/shared_folder.hpp"

// The header of a card. The process's words follow.
struct Card {
    char format[16] = "gridutils 1";
    std::uint64_t number = 0;    // random
    std::uint64_t first = 0;     // the number of the first process, once this one has seen its card
    std::uint64_t complete = 0;  // of the first process only: a hash of all numbers, once all have come
    std::uint64_t beat = 0;      // goes up while the process lives
    std::int32_t gave_up = 0;    // the exit code of a process that has given up waiting for the others
    char machine[64] = {}, host[64] = {};
};

class Rendezvous final : public Contact {
public:
    // Joins the others in the folder, and makes the folder if need be. `words` is what the others shall know about this
    // process. Throws Failure if the folder cannot be used, or if some have not come after `seconds` seconds. The
    // message is "" if another process reports the failure.
    Rendezvous(const World& world, const std::string& folder, const std::string& words, double seconds);
    ~Rendezvous() override { leave(); }
    Rendezvous(const Rendezvous&) = delete;
    Rendezvous& operator=(const Rendezvous&) = delete;

    void finish() override { is_finished_ = true; }
    // The last process removes the folder.
    void leave() override;

    // One per process.
    const std::vector<std::string>& words() const { return words_; }
    std::string host_of(std::size_t process) const override { return hosts_[process]; }

    // What each process says about a topic. A topic can be used only once. Waits for all without a time limit: a Watch
    // ends this process if another one has ended.
    std::vector<std::string> gather(const std::string& topic, const std::string& mine);

    Declared declare(const Declared& failure) override;
    std::optional<Declared> declared() override;

    void beat() override;
    // This process watches the next one that is still there.
    std::optional<std::size_t> lost() override;
    double seconds_between_looks() const override { return world_.is_one_machine() ? 0.05 : 0.5; }

private:
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    static std::string card_name(std::size_t process) { return "rank-" + std::to_string(process); }
    std::string card_path(std::size_t process) const { return path(card_name(process)); }
    std::string name_in_run(const std::string& name) const;

    void look() const {
        if (!world_.is_one_machine()) look_afresh(folder_);
    }
    void show_card(const std::string& words, double seconds);
    bool lies_there() const;
    bool write_card() const { return file_->write(&card_, sizeof card_); }
    std::optional<Card> read_card(std::size_t process, std::string* words = nullptr) const;
    double silence_of(std::size_t process, const Card& card);
    bool is_alive(std::size_t process, const Card& card);

    void end_if_signalled();
    void await_all(const std::string& words, double seconds);
    bool have_all_come(const std::vector<std::optional<Card>>& cards);
    void give_up(const std::vector<std::size_t>& missing, double seconds);
    void remove_earlier_runs() const;
    std::unique_lock<std::mutex> stay();
    void remove_answers_if_last() const;
    void remove_all_if_last() const;

    const World world_;
    const std::string folder_;
    Card card_;
    std::optional<OpenFile> file_;  // the card, locked
    std::mutex leaving_;
    std::uint64_t run_ = 0;  // the first process's number
    std::size_t neighbor_;
    std::vector<std::string> words_, hosts_;
    bool is_finished_ = false;
    struct Pulse {
        std::uint64_t number = 0, beat = 0;
        int looks = 0;
        bool beats = false;
    };
    std::map<std::size_t, Pulse> pulses_;  // of processes on other machines
};

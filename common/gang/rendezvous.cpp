// SPDX-License-Identifier: MIT
#include "common/gang/rendezvous.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "common/gang/ending_signals.hpp"
#include "common/gang/waiting.hpp"
#include "common/io/text.hpp"

namespace {

// If the card of a process on another machine has not changed for this many seconds, the process has ended.
constexpr double longest_silence = 8;
// A card that has been silent for this many seconds at the beginning belongs to an earlier run.
constexpr double shortest_silence = 2;
// A process that has just failed may hold its card for this many seconds after the next run has begun.
constexpr double longest_farewell = 10;

void copy_text(char (&to)[64], const std::string& from) { from.copy(to, sizeof to - 1); }

// Distinguishes machines even if they have the same host name, as containers may.
std::string machine_name() {
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    std::string name;
    return std::getline(boot, name) && !name.empty() ? name : host_name();
}

std::uint64_t number_of_all(const std::vector<std::optional<Card>>& cards) {
    std::uint64_t all = 0xcbf29ce484222325;  // FNV-1a, by words
    for (const auto& card : cards) all = (all ^ (card ? card->number : 0)) * 0x100000001b3;
    return all | 1;
}

}  // namespace

Rendezvous::Rendezvous(const World& world, const std::string& folder, const std::string& words, double seconds)
    : world_(world), folder_(folder), neighbor_((world.process + 1) % world.processes) {
    card_.number = random_number();
    copy_text(card_.machine, machine_name());
    copy_text(card_.host, host_name());
    try {
        show_card(words, std::min(seconds, longest_farewell));
        await_all(words, seconds);
    } catch (...) {
        leave();
        throw;
    }
}

void Rendezvous::leave() {
    const std::lock_guard lock(leaving_);
    if (!file_) return static_cast<void>(rmdir(folder_.c_str()));  // this process may have made it in vain
    if (is_finished_ && lies_there()) unlink(card_path(world_.process).c_str());
    file_.reset();
    if (is_finished_) remove_answers_if_last();
    else remove_all_if_last();
}

// Another process may not have read this one's answers yet, unless it has also removed its card, or a signal has ended
// it when all was done.
void Rendezvous::remove_answers_if_last() const {
    bool was_another_ended = false;
    for (std::size_t process = 0; process < world_.processes; ++process) {
        if (!read_card(process)) continue;
        if (!world_.is_one_machine() || is_locked(card_path(process))) return;
        was_another_ended = true;
    }
    if (was_another_ended) return remove_all_if_last();
    const std::string of_run = name_in_run("") + "-";
    for (const std::string& name : names_in_folder(folder_))
        if (name.find(of_run) != name.npos) unlink(path(name).c_str());
    rmdir(folder_.c_str());
}

// (Other processes may have found that all have come before this one has.)
void Rendezvous::end_if_signalled() {
    if (EndingSignals::noted() == 0) return;
    if (file_ && card_.first != 0) {
        run_ = card_.first;
        declare({world_.process, Exit::cuda_error, "", EndingSignals::noted()});
    }
    leave();
    EndingSignals::end_by(EndingSignals::noted());
}

// After a failure the cards stay until all processes know of it. On several machines, no process knows that it is the
// last.
void Rendezvous::remove_all_if_last() const {
    if (!world_.is_one_machine()) return;
    const std::vector<std::string> names = names_in_folder(folder_);
    for (const std::string& name : names)
        if (is_locked(path(name))) return;
    for (const std::string& name : names) unlink(path(name).c_str());
    rmdir(folder_.c_str());
}

// Removes all files but those of this run: its cards, and the message of a process that has already failed.
void Rendezvous::remove_earlier_runs() const {
    std::set<std::string> own = {path(name_in_run("failed"))};
    for (std::size_t process = 0; process < world_.processes; ++process) own.insert(card_path(process));
    for (const std::string& name : names_in_folder(folder_))
        if (own.count(path(name)) == 0) unlink(path(name).c_str());
}

std::string Rendezvous::name_in_run(const std::string& name) const { return text("{}-{:x}", name, run_); }

// Replaces the card of a process that has ended, and waits for one that is about to end.
void Rendezvous::show_card(const std::string& words, double seconds) {
    const std::string own = card_path(world_.process);
    const std::string content = std::string(reinterpret_cast<const char*>(&card_), sizeof card_) + words;
    for (const auto begin = WaitClock::now();; pause(seconds_between_looks())) {
        end_if_signalled();
        make_shared_folder(folder_);
        const auto other = read_card(world_.process);
        const bool is_held = other ? silence_of(world_.process, *other) < shortest_silence : is_locked(own);
        if (!is_held) {
            unlink(own.c_str());
            try {
                file_ = publish(folder_, card_name(world_.process), content);
            } catch (const Failure&) {
                if (access(folder_.c_str(), F_OK) == 0) throw;  // else a process that has just ended removed it
            }
            if (file_) return;
        } else if (seconds_since(begin) > seconds) {
            fail(Exit::usage,
                 "there is another rank {}{}; give each process a number of its own, end the other run, or set "
                 "GRIDUTILS_RENDEZVOUS to another folder than that of {}",
                 world_.process, other ? text(", on {}", other->host) : "", folder_);
        }
    }
}

// Whether this process's card is still there: the last process of another run removes cards that nobody seems to hold.
bool Rendezvous::lies_there() const {
    const auto card = read_card(world_.process);
    return card && card->number == card_.number;
}

std::optional<Card> Rendezvous::read_card(std::size_t process, std::string* words) const {
    const auto content = read_shared_file(card_path(process));
    if (!content || content->size() < sizeof(Card)) return std::nullopt;
    Card card;
    std::memcpy(static_cast<void*>(&card), content->data(), sizeof card);
    if (std::memcmp(card.format, Card{}.format, sizeof card.format) != 0) return std::nullopt;
    card.machine[sizeof card.machine - 1] = card.host[sizeof card.host - 1] = '\0';
    if (words) *words = content->substr(sizeof card);
    return card;
}

// For how many seconds a process has shown no sign of life. (For other machines this counts looks rather than time:
// this process may have been stopped for a while itself.)
double Rendezvous::silence_of(std::size_t process, const Card& card) {
    if (std::strcmp(card.machine, card_.machine) == 0) return is_locked(card_path(process)) ? 0 : longest_silence;
    Pulse& pulse = pulses_[process];
    const bool is_known = pulse.number == card.number;
    if (!is_known || pulse.beat != card.beat) pulse = {card.number, card.beat, 0, is_known};
    return pulse.looks++ * seconds_between_looks();
}

// Until it has changed once, a card from another machine may belong to a dead run.
bool Rendezvous::is_alive(std::size_t process, const Card& card) {
    const bool is_here = std::strcmp(card.machine, card_.machine) == 0;
    return silence_of(process, card) < longest_silence && (is_here || pulses_[process].beats);
}

void Rendezvous::await_all(const std::string& words, double seconds) {
    const auto begin = WaitClock::now();
    std::set<std::uint64_t> seen_alive;
    while (true) {
        look();
        end_if_signalled();
        if (!lies_there()) {
            file_.reset();
            show_card(words, seconds);
        }
        std::vector<std::optional<Card>> cards;
        std::vector<std::size_t> missing;
        for (std::size_t process = 0; process < world_.processes; ++process) {
            cards.push_back(process == world_.process ? std::optional(card_) : read_card(process));
            const auto& card = cards.back();
            if (process == world_.process) continue;
            const bool lives = card && is_alive(process, *card);
            if (lives) seen_alive.insert(card->number);
            else missing.push_back(process);
            if (card && card->gave_up && seen_alive.count(card->number) > 0) throw Failure(Exit(card->gave_up), "");
        }
        if (cards.front() && (missing.empty() || missing.front() != 0)) card_.first = cards.front()->number;
        ++card_.beat;
        if (!write_card()) fail_shared("write", card_path(world_.process), errno);
        cards[world_.process] = card_;
        if (world_.process > 0 || missing.empty())
            if (have_all_come(cards)) return;
        if (seconds_since(begin) > seconds) give_up(missing, seconds);
        pause(world_.is_one_machine() ? 0.005 : seconds_between_looks());
    }
}

bool Rendezvous::have_all_come(const std::vector<std::optional<Card>>& cards) {
    const Card& first = cards.front() ? *cards.front() : card_;
    const std::uint64_t all = number_of_all(cards);
    if (world_.process == 0) {
        for (const auto& card : cards)
            if (card->first != card_.number) return false;
        card_.complete = all;
    } else if (first.complete != all || card_.first != first.number) return false;
    run_ = first.number;
    for (std::size_t process = 0; process < world_.processes; ++process) {
        hosts_.emplace_back(cards[process]->host);
        words_.emplace_back();
        read_card(process, &words_.back());
    }
    if (world_.process == 0) {
        remove_earlier_runs();
        write_card();
    }
    return true;
}

// The first of the waiting processes speaks for all.
void Rendezvous::give_up(const std::vector<std::size_t>& missing, double seconds) {
    if (missing.empty()) return;  // they have come just now
    std::size_t first_waiting = 0;
    while (std::find(missing.begin(), missing.end(), first_waiting) != missing.end()) ++first_waiting;
    if (first_waiting != world_.process) return;
    card_.gave_up = static_cast<std::int32_t>(Exit::cuda_error);
    write_card();
    pause(2 * seconds_between_looks());  // so that the others see it while this process lives
    fail(Exit::cuda_error,
         "{} of {} did not come to {} within {:.6g} seconds; see what became of {}, and whether all see this folder: "
         "GRIDUTILS_RENDEZVOUS names another, and GRIDUTILS_JOIN_TIMEOUT allows more seconds",
         ranks_text(missing), world_.processes, folder_, seconds, missing.size() == 1 ? "it" : "them");
}

std::vector<std::string> Rendezvous::gather(const std::string& topic, const std::string& mine) {
    const auto name_of = [&](std::size_t process) { return text("answer-{}-{}", name_in_run(topic), process); };
    {
        const auto lock = stay();
        publish(folder_, name_of(world_.process), mine);
    }
    std::vector<std::string> all;
    for (std::size_t process = 0; process < world_.processes; ++process) {
        auto answer = read_shared_file(path(name_of(process)));
        for (; !answer; answer = read_shared_file(path(name_of(process)))) {
            pause(world_.is_one_machine() ? 0.002 : 0.1);
            look();
        }
        all.push_back(*answer);
    }
    return all;
}

// While the lock is held, no other thread leaves. If one has left, it is ending this process: this waits for that.
std::unique_lock<std::mutex> Rendezvous::stay() {
    std::unique_lock lock(leaving_);
    while (!file_) {
        lock.unlock();
        pause(1);
        lock.lock();
    }
    return lock;
}

Declared Rendezvous::declare(const Declared& failure) {
    const auto lock = stay();
    const std::string content =
        text("{} {} {} {}", failure.process, static_cast<int>(failure.exit), failure.signal, failure.message);
    try {
        if (publish(folder_, name_in_run("failed"), content)) return failure;
    } catch (const Failure&) {
        return failure;  // the folder is gone, or full: the others will see that this process has ended
    }
    return declared().value_or(failure);
}

std::optional<Declared> Rendezvous::declared() {
    look();
    const auto content = read_shared_file(path(name_in_run("failed")));
    if (!content) return std::nullopt;
    const std::size_t exit = content->find(' ') + 1, signal = content->find(' ', exit) + 1,
                      message = content->find(' ', signal) + 1;
    return Declared{std::stoul(*content), Exit(std::stoi(content->substr(exit))), content->substr(message),
                    std::stoi(content->substr(signal))};
}

void Rendezvous::beat() {
    if (world_.is_one_machine()) return;
    ++card_.beat;
    write_card();
}

std::optional<std::size_t> Rendezvous::lost() {
    while (neighbor_ != world_.process) {
        const auto card = read_card(neighbor_);
        if (card && silence_of(neighbor_, *card) < longest_silence) return std::nullopt;
        // A process that has succeeded has removed its card. We look twice: it may have done so just now.
        if (card && read_card(neighbor_)) return neighbor_;
        neighbor_ = (neighbor_ + 1) % world_.processes;
    }
    return std::nullopt;
}

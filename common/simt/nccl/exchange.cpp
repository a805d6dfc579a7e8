// SPDX-License-Identifier: MIT
// Messages between pairs of ranks.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/nccl/run.hpp"
#include "common/simt/nccl/watch.hpp"

namespace simt::nccl {
namespace {

// One half of a message, which advances piece by piece without waiting.
class Half {
public:
    explicit Half(const Call& call)
        : call_(call),
          clique_(*call.communicator->clique),
          mailbox_(call.kind == Kind::send ? clique_.mailbox(clique_.rank(), call.root)
                                           : clique_.mailbox(call.root, clique_.rank())),
          bytes_(call.count * call.element()) {}

    bool is_send() const { return call_.kind == Kind::send; }
    int peer() const { return call_.root; }
    bool is_done() const { return is_done_; }
    bool is_same_lane(const Half& other) const { return &mailbox_ == &other.mailbox_ && is_send() == other.is_send(); }
    const Call& call() const { return call_; }
    // Whether the peer must make the next step.
    bool is_blocked() const { return (mailbox_.full != 0) == is_send(); }

    // Returns whether there was anything to do.
    bool advance() { return is_send() ? send() : receive(); }

private:
    // A message waits for its other half: it is done when the receiver has taken the last piece.
    bool send() {
        if (mailbox_.full) return false;
        if (has_begun_ && moved_ == bytes_) {
            is_done_ = true;
            return true;
        }
        has_begun_ = true;
        mailbox_.signature = call_.signature();
        mailbox_.bytes = std::min(bytes_ - moved_, clique_.mailbox_bytes());
        if (mailbox_.bytes > 0) {
            std::memcpy(Clique::data_of(mailbox_), static_cast<const char*>(call_.send) + moved_, mailbox_.bytes);
        }
        moved_ += mailbox_.bytes;
        mailbox_.full = 1;
        clique_.ring();
        return true;
    }

    bool receive() {
        if (!mailbox_.full) return false;
        const Signature& sent = mailbox_.signature;
        if (sent.count * bytes_of(static_cast<ncclDataType_t>(sent.type)) != bytes_ || sent.type != call_.type) {
            Call other{Kind::send};
            other.count = sent.count;
            other.type = static_cast<ncclDataType_t>(sent.type);
            other.root = clique_.rank();
            clique_.break_off("a message differs between its ranks: rank " + std::to_string(peer()) + " called " +
                              other.text_alone() + ", rank " + std::to_string(clique_.rank()) + " called " +
                              call_.text());
            return false;
        }
        if (mailbox_.bytes > 0) {
            std::memcpy(static_cast<char*>(call_.receive) + moved_, Clique::data_of(mailbox_), mailbox_.bytes);
        }
        moved_ += mailbox_.bytes;
        is_done_ = moved_ == bytes_;
        mailbox_.full = 0;
        clique_.ring();
        return true;
    }

    const Call& call_;
    Clique& clique_;
    Mailbox& mailbox_;
    const size_t bytes_;
    size_t moved_ = 0;
    bool has_begun_ = false, is_done_ = false;
};

}  // namespace

Outcome exchange(const std::vector<Call>& calls) {
    std::vector<Half> halves;
    for (const Call& call : calls) {
        if (!call.is_message()) continue;
        announce(call);
        halves.emplace_back(call);
    }
    if (halves.empty()) return Outcome::done;
    Clique& clique = *calls.front().communicator->clique;
    // Messages from one rank to another go one after another, all others concurrently.
    const auto is_next = [&](size_t index) {
        for (size_t earlier = 0; earlier < index; ++earlier) {
            if (!halves[earlier].is_done() && halves[earlier].is_same_lane(halves[index])) return false;
        }
        return !halves[index].is_done();
    };
    const auto advance = [&] {
        for (bool has_moved = true; has_moved && !clique.is_broken();) {
            has_moved = false;
            for (size_t index = 0; index < halves.size(); ++index) {
                if (is_next(index)) has_moved |= halves[index].advance();
            }
        }
        return std::all_of(halves.begin(), halves.end(), [](const Half& half) { return half.is_done(); });
    };
    std::unique_ptr<Watch> watch;
    const Half* watched = nullptr;
    return clique.wait(advance, [&](double seconds) {
        const auto open = std::find_if(halves.begin(), halves.end(), [](const Half& half) { return !half.is_done(); });
        if (open == halves.end()) return;
        if (watched != &*open) {
            watched = &*open;
            watch = std::make_unique<Watch>(
                watched->call(), 0, [half = watched](int rank) { return rank == half->peer() && half->is_blocked(); });
        }
        watch->look(seconds);
    });
}

}  // namespace simt::nccl

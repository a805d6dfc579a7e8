// SPDX-License-Identifier: MIT
// All-reduces by our own kernels: the memory through which the devices communicate, and the cases.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "tools/collective/case.cuh"
#include "tools/collective/table.cuh"

namespace BACKEND {

// Why our kernels cannot run on this gang; "" if they can. Enables peer access between all devices.
inline std::string obstacle_to_kernels(const std::vector<DeviceInfo>& gang, PeerAccess& access) {
    if (gang.front().process != gang.back().process)
        return "kernels reach the memory of devices of their own process alone; start one process";
    if (gang.size() > most_peers)
        return text("{} devices are more than the {} that a kernel talks to", gang.size(), most_peers);
    for (const DeviceInfo& here : gang)
        for (const DeviceInfo& there : gang)
            if (here.ordinal != there.ordinal && !access.enable(here.ordinal, there.ordinal))
                return text("device {} cannot reach the memory of device {}", here.ordinal, there.ordinal);
    return "";
}

// The exchange's memory, allocated as needed, and its epochs.
class GangExchange {
public:
    explicit GangExchange(const std::vector<DeviceInfo>& gang) {
        for (const DeviceInfo& device : gang) {
            members_.push_back({device.ordinal});
            multiprocessors_ = std::min(multiprocessors_, unsigned(device.multiprocessors));
        }
        for (size_t rank = 0; rank < members_.size(); ++rank) {
            Member& member = members_[rank];
            give(member, member.signals, signal_words);
            give(member, member.lines, 2 * line_words(unsigned(members_.size())));
            exchange_.signals.of[rank] = member.signals.data();
            exchange_.lines.of[rank] = member.lines.data();
        }
    }

    unsigned multiprocessors() const { return multiprocessors_; }

    // The exchange, with room for copies of at least `bytes` bytes. Not while a launch is using it.
    const Exchange& with_copies(size_t bytes) {
        const size_t vectors = bytes / vector_bytes + 1;
        if (vectors <= exchange_.copy_vectors) return exchange_;
        exchange_.copy_vectors = vectors;
        for (size_t rank = 0; rank < members_.size(); ++rank) {
            Member& member = members_[rank];
            member.copies = {};
            give(member, member.copies, 2 * vectors);
            exchange_.copies.of[rank] = member.copies.data();
        }
        return exchange_;
    }

    // Reserves `count` epochs for a launch and returns the first.
    unsigned take_epochs(unsigned count) {
        const unsigned first = next_epoch_;
        next_epoch_ += count;
        return first;
    }

private:
    struct Member {
        int ordinal;
        DeviceBuffer<unsigned> signals = {};
        DeviceBuffer<unsigned long long> lines = {};
        DeviceBuffer<Vector<unsigned char>> copies = {};
    };

    // Zeroed before any device can read it.
    template <typename Word>
    static void give(const Member& member, DeviceBuffer<Word>& buffer, size_t words) {
        const OnDevice there(member.ordinal);
        buffer = DeviceBuffer<Word>(words);
        CHECK(cudaMemset(buffer.data(), 0, buffer.bytes()));
        CHECK(cudaDeviceSynchronize());
    }

    std::vector<Member> members_;
    Exchange exchange_;
    unsigned next_epoch_ = 1;
    unsigned multiprocessors_ = ~0U;
};

// An all-reduce by a kernel on each device.
template <typename T>
class KernelCase final : public CollectiveCase<T> {
public:
    KernelCase(const Session& session_, Gang& gang_, const CollectiveVariant& variant_, const CollectiveShape& shape_,
               const GangBuffers<T>& buffers_, GangExchange& exchange)
        : CollectiveCase<T>(session_, gang_, variant_, shape_, buffers_), exchange_(exchange) {
        all_.n = shape_.n;
        all_.reduction = session_.own<CollectiveOptions>().op;
        all_.ranks = unsigned(shape_.ranks);
        all_.block_size = session_.options.block;
        all_.multiprocessors = exchange.multiprocessors();
        for (size_t rank = 0; rank < shape_.ranks; ++rank) {
            all_.inputs.of[rank] = buffers_.input(shape_, rank);
            all_.outputs.of[rank] = buffers_.output(shape_, rank);
        }
        method_ = variant_.method.get<T>()(all_);
        if (method_.copies) exchange.with_copies(all_.n * sizeof(T));
    }

private:
    // The rest of the program must use the exchange's epochs in the order of the launches.
    LaunchShape exchange_all() override {
        if (all_.n == 0) return {};  // nothing to exchange, so no epochs to take
        all_.exchange = exchange_.with_copies(0);
        all_.epoch = exchange_.take_epochs(method_.epochs(all_));
        LaunchShape launched;
        this->gang.on_each([&](size_t rank) {
            all_.rank = unsigned(rank);
            all_.stream = this->gang.stream(rank);
            launched = method_.launch(all_);
            CHECK(cudaGetLastError());
        });
        return launched;
    }
    const char* method() const override { return method_.name; }

    GangExchange& exchange_;
    AllReduceArguments<T> all_;
    AllReduceMethod<T> method_ = {};
};

}  // namespace BACKEND

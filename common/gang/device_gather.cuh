// SPDX-License-Identifier: MIT
// How processes exchange short texts while they measure: all-gathers of a few bytes by NCCL, in a stream of their own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/peer_access.cuh"
#include "common/gang/nccl.cuh"
#include "common/measure/team.hpp"

namespace BACKEND {

// An id that the first process makes and shares with all. NCCL_COMM_ID names the place to meet: with it, each process
// makes the same id.
inline ncclUniqueId common_id(const Nccl& nccl, Team& team) {
    ncclUniqueId id = {};
    const auto make = [&] { nccl.expect(nccl.get_unique_id(&id), "ncclGetUniqueId"); };
    const char* const address = std::getenv("NCCL_COMM_ID");
    if (address && *address) {
        make();
        return id;
    }
    if (team.process() == 0) make();
    const std::string bytes = team.gather(team.process() == 0 ? std::string(id.internal, sizeof id.internal) : "")[0];
    bytes.copy(id.internal, sizeof id.internal);
    return id;
}

// One rank per process, on the device `ordinal`, which must be the current one.
class DeviceGather {
public:
    DeviceGather(Team& team, int ordinal)
        : process_(team.process()),
          processes_(team.processes()),
          ordinal_(ordinal),
          communicators_(nccl_, common_id(nccl_, team), processes_, process_, {ordinal}) {}

    std::vector<std::string> gather(const std::string& mine) {
        // The first packet holds the length and all of a short text; a second one holds the rest of a long text.
        constexpr std::size_t header = 8, first_part = 56;
        const std::size_t size = mine.size();
        std::string packet(reinterpret_cast<const char*>(&size), header);
        packet += mine.substr(0, first_part);
        std::vector<std::string> all = gather_equal(packet, header + first_part);
        std::size_t longest = 0;
        std::vector<std::size_t> sizes(processes_);
        for (std::size_t i = 0; i < processes_; ++i) {
            std::memcpy(&sizes[i], all[i].data(), header);
            longest = std::max(longest, sizes[i]);
            all[i] = all[i].substr(header, std::min(sizes[i], first_part));
        }
        if (longest <= first_part) return all;
        const std::vector<std::string> rest =
            gather_equal(size > first_part ? mine.substr(first_part) : "", longest - first_part);
        for (std::size_t i = 0; i < processes_; ++i)
            if (sizes[i] > first_part) all[i] += rest[i].substr(0, sizes[i] - first_part);
        return all;
    }

private:
    // `bytes` bytes of each process.
    std::vector<std::string> gather_equal(std::string mine, std::size_t bytes) {
        const OnDevice there(ordinal_);
        mine.resize(bytes);
        if (d_all_.size() < processes_ * bytes) d_all_ = DeviceBuffer<char>(processes_ * bytes);
        char* const d_mine = d_all_.data() + process_ * bytes;
        std::vector<char> all(processes_ * bytes);
        CHECK(cudaMemcpyAsync(d_mine, mine.data(), bytes, cudaMemcpyHostToDevice, stream_));
        nccl_.expect(nccl_.all_gather(d_mine, d_all_.data(), bytes, ncclInt8, communicators_[process_], stream_),
                     "ncclAllGather", communicators_[process_]);
        CHECK(cudaMemcpyAsync(all.data(), d_all_.data(), all.size(), cudaMemcpyDeviceToHost, stream_));
        CHECK(cudaStreamSynchronize(stream_));
        std::vector<std::string> words;
        for (std::size_t i = 0; i < processes_; ++i) words.emplace_back(all.data() + i * bytes, bytes);
        return words;
    }

    const std::size_t process_, processes_;
    const int ordinal_;
    Nccl nccl_;
    Communicators communicators_;
    Stream stream_;
    DeviceBuffer<char> d_all_;
};

}  // namespace BACKEND

// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/results.hpp"

namespace simt::check {

namespace {

void add_requests(Traffic& sum, const Traffic& more) {
    sum.requests += more.requests;
    sum.lanes += more.lanes;
    sum.bytes += more.bytes;
}

void add(GlobalTraffic& sum, const GlobalTraffic& more) {
    add_requests(sum, more);
    sum.distinct_bytes += more.distinct_bytes;
    sum.sectors += more.sectors;
}

void add(SharedTraffic& sum, const SharedTraffic& more) {
    add_requests(sum, more);
    sum.wavefronts += more.wavefronts;
    sum.ideal_wavefronts += more.ideal_wavefronts;
}

void add(TextureTraffic& sum, const TextureTraffic& more) {
    add_requests(sum, more);
    sum.linear_requests += more.linear_requests;
    sum.sectors += more.sectors;
}

void add(ConstantTraffic& sum, const ConstantTraffic& more) {
    add_requests(sum, more);
    sum.passes += more.passes;
}

void add(Branching& sum, const Branching& more) {
    sum.blocks += more.blocks;
    sum.block_lanes += more.block_lanes;
    sum.branches += more.branches;
    sum.uniform_branches += more.uniform_branches;
}

}  // namespace

Counters& operator+=(Counters& sum, const Counters& more) {
    add(sum.global_loads, more.global_loads);
    add(sum.global_stores, more.global_stores);
    add(sum.global_atomics, more.global_atomics);
    add(sum.shared_loads, more.shared_loads);
    add(sum.shared_stores, more.shared_stores);
    add(sum.shared_atomics, more.shared_atomics);
    add(sum.texture_fetches, more.texture_fetches);
    add(sum.constant_loads, more.constant_loads);
    if (more.most_contended.operations > sum.most_contended.operations) sum.most_contended = more.most_contended;
    add(sum.branching, more.branching);
    sum.block_barriers += more.block_barriers;
    sum.warp_barriers += more.warp_barriers;
    sum.exchanges += more.exchanges;
    return sum;
}

}  // namespace simt::check

// SPDX-License-Identifier: MIT
// The tables of devices: a row for each, and one for each pair.
#pragma once

#include <cuda_runtime.h>

#include "common/cli/session.hpp"
#include "common/cuda/check.cuh"
#include "common/cuda/device.cuh"
#include "common/io/table.hpp"
#include "common/io/text.hpp"

namespace BACKEND {

// One device's access to another's memory.
struct Peer {
    int from, to, access, native_atomics, rank;
};

inline const ColumnOf<Peer> peer_columns[] = {
    {{"from_device", "from"}, [](const Peer& of) -> Cell { return whole(of.from); }},
    {{"to_device", "to"}, [](const Peer& of) -> Cell { return whole(of.to); }},
    {{"access", "access"}, [](const Peer& of) -> Cell { return whole(of.access); }},
    {{"native_atomics", "native atomics"}, [](const Peer& of) -> Cell { return whole(of.native_atomics); }},
    {{"performance_rank", "rank (0 is best)"}, [](const Peer& of) -> Cell { return whole(of.rank); }},
};

inline void show_peers(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(peer_columns));
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    const int from = session.device.ordinal;
    for (int to = 0; to < count; ++to) {
        Peer peer{from, to, to == from, to == from, 0};
        if (to != from) {
            CHECK(cudaDeviceCanAccessPeer(&peer.access, from, to));
            if (peer.access) {
                CHECK(cudaDeviceGetP2PAttribute(&peer.native_atomics, cudaDevP2PAttrNativeAtomicSupported, from, to));
                CHECK(cudaDeviceGetP2PAttribute(&peer.rank, cudaDevP2PAttrPerformanceRank, from, to));
            }
        }
        table.add(cells_of(peer_columns, peer));
    }
    table.flush();
}

inline const ColumnOf<DeviceInfo> device_columns[] = {
    {{"device", "device"}, [](const DeviceInfo& of) -> Cell { return device_label(of); }},
    {{"name", "name"}, [](const DeviceInfo& of) -> Cell { return of.name; }},
    {{"compute_capability", "cc"}, [](const DeviceInfo& of) -> Cell { return capability_text(of.compute_capability); }},
    {{"multiprocessors", "SMs"}, [](const DeviceInfo& of) -> Cell { return whole(of.multiprocessors); }},
    {{"memory_bytes", "memory GiB", 1.0 / (1u << 30), 1},
     [](const DeviceInfo& of) -> Cell { return whole(of.memory_bytes); }},
    {{"uuid", "uuid", 1, 0, 0, 2}, [](const DeviceInfo& of) -> Cell { return of.uuid; }},
    {{"pci_bus_id", "PCI bus id", 1, 0, 0, 1}, [](const DeviceInfo& of) -> Cell { return of.pci_bus_id; }},
};

inline void list_device(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(device_columns));
    table.add(cells_of(device_columns, session.device));
    table.flush();
}

}  // namespace BACKEND

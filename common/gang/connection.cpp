// SPDX-License-Identifier: MIT
#include "common/gang/connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

#include "common/gang/ending_signals.hpp"
#include "common/gang/waiting.hpp"
#include "common/io/text.hpp"

namespace {

constexpr std::size_t longest_line = 4096;
constexpr const char* greeting_word = "gridutils";
constexpr int signals_begin = 128;  // in exit statuses, as in shells
// How many seconds other processes wait for the first one's answer.
constexpr double longest_answer = 2;

// The HOST of HOST:PORT, which may be an address in brackets, and PORT + 1.
std::pair<std::string, std::string> place_after(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    unsigned port = 0;
    const char* const end = address.data() + address.size();
    const char* const begin = colon == address.npos ? end : address.data() + colon + 1;
    const auto [stop, error] = std::from_chars(begin, end, port);
    if (colon == 0 || begin == end || error != std::errc{} || stop != end || port == 0 || port > 65534)
        fail(
            Exit::usage,
            "NCCL_COMM_ID='{}' is not HOST:PORT with a port from 1 to 65534: ranks meet at this port, and hear of each "
            "other's end at the one after it",
            printable(address, 80));
    std::string host = address.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    return {host, std::to_string(port + 1)};
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const std::string& host, const std::string& port, bool to_listen) {
    addrinfo hints = {}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = to_listen ? AI_PASSIVE : 0;
    if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found))
        fail(Exit::cuda_error, "the host '{}' of NCCL_COMM_ID cannot be found: {}", printable(host, 80),
             error == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(error));
    return {found, freeaddrinfo};
}

void set(int socket, int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); }

// Lets the system notice within eight seconds that the other machine is gone.
void keep_alive(int socket) {
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 3);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 7000);
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

// Not open if nobody answers there within a second.
Socket connected_to(const addrinfo& address) {
    Socket one(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!one.is_open()) return one;
    if (connect(one.number(), address.ai_addr, address.ai_addrlen) != 0) {
        pollfd ready = {one.number(), POLLOUT, 0};
        int error = 0;
        socklen_t size = sizeof error;
        if (errno != EINPROGRESS || poll(&ready, 1, 1000) != 1) return Socket();
        if (getsockopt(one.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return Socket();
    }
    // (If nobody listens on a port of the ephemeral range, a socket may connect to itself.)
    sockaddr_storage here = {}, there = {};
    socklen_t here_size = sizeof here, there_size = sizeof there;
    if (getsockname(one.number(), reinterpret_cast<sockaddr*>(&here), &here_size) == 0 &&
        getpeername(one.number(), reinterpret_cast<sockaddr*>(&there), &there_size) == 0 && here_size == there_size &&
        std::memcmp(&here, &there, here_size) == 0)
        return Socket();
    keep_alive(one.number());
    return one;
}

}  // namespace

Socket::~Socket() {
    if (number_ >= 0) close(number_);
}

Connection::Connection(const World& world, const std::string& address, double seconds)
    : world_(world),
      place_(text("{}:{}", place_after(address).first, place_after(address).second)),
      hosts_(world.processes) {
    const auto [host, port] = place_after(address);
    hosts_[world.process] = host_name();
    if (world.process > 0) {
        connect_to_first(host, port, seconds);
    } else {
        listen_at(host, port);
        await_others(seconds);
    }
}

void Connection::listen_at(const std::string& host, const std::string& port) {
    const Addresses addresses = addresses_of(host, port, true);
    int error = 0;
    for (const addrinfo* one = addresses.get(); one && !listener_.is_open(); one = one->ai_next) {
        Socket listener(socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (listener.is_open()) set(listener.number(), SOL_SOCKET, SO_REUSEADDR, 1);
        const bool listens = listener.is_open() && bind(listener.number(), one->ai_addr, one->ai_addrlen) == 0 &&
                             listen(listener.number(), SOMAXCONN) == 0;
        if (listens) listener_ = std::move(listener);
        else error = errno;
    }
    if (listener_.is_open()) return;
    if (error == EADDRINUSE)
        fail(Exit::cuda_error,
             "{}, where ranks hear of each other's end, is in use: it is the port after that of NCCL_COMM_ID; choose "
             "another one there",
             place_);
    fail(Exit::cuda_error, "rank 0 cannot listen at {}, the port after that of NCCL_COMM_ID: {}{}", place_,
         std::strerror(error),
         error == EADDRNOTAVAIL ? "; let NCCL_COMM_ID name an address of the machine that rank 0 runs on" : "");
}

void Connection::end_if_signalled() {
    if (EndingSignals::noted() == 0) return;
    send_all({world_.process, signals_begin + EndingSignals::noted(), ""});
    leave();
    EndingSignals::end_by(EndingSignals::noted());
}

// Another process has failed before all had come.
void Connection::end_as_declared() const {
    if (declared_->signal != 0) EndingSignals::end_by(declared_->signal);
    throw Failure(declared_->exit, world_.process == 0 ? "" : declared_->message);
}

void Connection::await_others(double seconds) {
    for (const auto begin = WaitClock::now();; pause(0.005)) {
        end_if_signalled();
        const std::lock_guard lock(mutex_);
        look();
        if (declared_) end_as_declared();
        std::vector<std::size_t> missing;
        for (std::size_t process = 1; process < world_.processes; ++process)
            if (hosts_[process].empty()) missing.push_back(process);
        if (missing.empty()) break;
        if (seconds_since(begin) < seconds) continue;
        send_all({0, static_cast<int>(Exit::cuda_error), ""});
        fail(
            Exit::cuda_error,
            "{} of {} did not come to {} within {:.6g} seconds; see what became of {}, and whether the port after that "
            "of NCCL_COMM_ID can be reached from there: GRIDUTILS_JOIN_TIMEOUT allows more seconds",
            ranks_text(missing), world_.processes, place_, seconds, missing.size() == 1 ? "it" : "them");
    }
    is_complete_ = true;
    send_all({0, 0, greeting()});
}

// (Another program that listens there is silent or not understood: this then times out.)
void Connection::connect_to_first(const std::string& host, const std::string& port, double seconds) {
    const Addresses addresses = addresses_of(host, port, false);
    const auto begin = WaitClock::now();
    while (!is_complete_) {
        if (seconds_since(begin) > seconds + longest_answer)
            fail(Exit::cuda_error,
                 "rank 0 did not answer at {} within {:.6g} seconds; see what became of it, and whether the port after "
                 "that of NCCL_COMM_ID can be reached: GRIDUTILS_JOIN_TIMEOUT allows more seconds",
                 place_, seconds);
        end_if_signalled();
        if (peers_.empty() || !peers_.front().socket.is_open()) {
            peers_.clear();
            for (const addrinfo* one = addresses.get(); one && peers_.empty(); one = one->ai_next)
                if (Socket socket = connected_to(*one); socket.is_open())
                    peers_.push_back({std::move(socket), std::nullopt, "", false});
            if (!peers_.empty()) send(peers_.front(), {world_.process, 0, greeting()});
        }
        pause(peers_.empty() ? 0.05 : 0.005);
        const std::lock_guard lock(mutex_);
        look();
        if (declared_ && !is_complete_) end_as_declared();
    }
}

std::string Connection::greeting() const {
    return text("{} {} {}", greeting_word, world_.processes, hosts_[world_.process]);
}

void Connection::finish() {
    const std::lock_guard lock(mutex_);
    send_all({world_.process, 0, ""});
    for (Peer& peer : peers_) peer.has_ended_well = true;
}

void Connection::leave() {
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    for (const Peer& peer : peers_)
        if (peer.socket.is_open()) shutdown(peer.socket.number(), SHUT_WR);
    peers_.clear();
    listener_ = Socket();
}

void Connection::send(const Peer& peer, const Line& line) const {
    if (!peer.socket.is_open()) return;
    std::string words = line.words.substr(0, longest_line - 64);
    std::replace(words.begin(), words.end(), '\n', ' ');
    const std::string all = text("{} {} {}\n", line.process, line.status, words);
    // (So little is sent that a line always fits into the socket's buffer. receive() notices a peer that is gone.)
    static_cast<void>(::send(peer.socket.number(), all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

void Connection::send_all(const Line& line) const {
    for (const Peer& peer : peers_)
        if (peer.process || world_.process > 0) send(peer, line);
}

void Connection::look() {
    if (has_left_) return;
    if (listener_.is_open()) accept_others();
    for (Peer& peer : peers_) receive(peer);
    const auto is_of_nobody = [](const Peer& peer) { return !peer.socket.is_open() && !peer.process; };
    peers_.erase(std::remove_if(peers_.begin(), peers_.end(), is_of_nobody), peers_.end());
}

void Connection::accept_others() {
    while (true) {
        Socket one(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!one.is_open()) return;
        keep_alive(one.number());
        peers_.push_back({std::move(one), std::nullopt, "", false});
    }
}

// Reads what has come in; closes the socket if the other end is gone.
void Connection::receive(Peer& peer) {
    char bytes[longest_line];
    while (peer.socket.is_open()) {
        const ssize_t count = recv(peer.socket.number(), bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (count > 0) peer.received.append(bytes, static_cast<std::size_t>(count));
        const bool is_open = count > 0 && peer.received.size() <= longest_line;
        std::size_t end = 0;
        while ((end = peer.received.find('\n')) != peer.received.npos) {
            const std::string one = peer.received.substr(0, end);
            peer.received.erase(0, end + 1);
            understand(peer, one);
        }
        if (!is_open) peer.socket = Socket();
    }
}

std::optional<Connection::Line> Connection::line_of(const std::string& text) {
    Line line = {};
    const char* const end = text.data() + text.size();
    const auto process = std::from_chars(text.data(), end, line.process);
    if (process.ec != std::errc{} || process.ptr == end || *process.ptr != ' ') return std::nullopt;
    const auto status = std::from_chars(process.ptr + 1, end, line.status);
    if (status.ec != std::errc{} || status.ptr == end || *status.ptr != ' ' || line.status < 0) return std::nullopt;
    line.words = std::string(status.ptr + 1, end);
    return line;
}

void Connection::understand(Peer& peer, const std::string& text) {
    const auto line = line_of(text);
    if (!line) return void(peer.socket = Socket());
    const bool ends_well = line->status == 0;
    if (ends_well && !peer.process) return welcome(peer, *line);
    if (world_.process == 0 && (!peer.process || line->process >= world_.processes)) return;
    if (ends_well) return void(peer.has_ended_well = true);
    if (declared_) return;
    const bool is_signal = line->status > signals_begin;
    declared_ = Declared{line->process, is_signal ? Exit::cuda_error : Exit(line->status), line->words,
                         is_signal ? line->status - signals_begin : 0};
    if (world_.process == 0) send_all(*line);
}

// Takes a peer's first line. It must be from this run, and from a process that has not come yet.
void Connection::welcome(Peer& peer, const Line& line) {
    const std::vector<std::string> words = split(line.words, ' ');
    if (words.size() != 3 || words[0] != greeting_word) return void(peer.socket = Socket());
    const auto refuse = [&](const std::string& why) {
        send(peer, {0, static_cast<int>(Exit::usage), why});
        peer.socket = Socket();
    };
    if (words[1] != std::to_string(world_.processes))
        return refuse(
            text("rank {} is one of {} processes, and rank 0 at {} one of {}: end the other run, or choose "
                 "another port for NCCL_COMM_ID",
                 line.process, words[1], place_, world_.processes));
    if (line.process >= world_.processes || (world_.process > 0) != (line.process == 0))
        return void(peer.socket = Socket());
    if (!hosts_[line.process].empty())
        return refuse(
            text("there is another rank {}, on {}; give each process a number of its own, end the other run, "
                 "or choose another port for NCCL_COMM_ID",
                 line.process, hosts_[line.process]));
    peer.process = line.process;
    hosts_[line.process] = words[2];
    if (world_.process > 0) is_complete_ = true;
}

Declared Connection::declare(const Declared& failure) {
    const auto begin = WaitClock::now();
    bool is_sent = false;
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            look();
            if (declared_) return *declared_;
            const int status = failure.signal != 0 ? signals_begin + failure.signal : static_cast<int>(failure.exit);
            if (!is_sent && !has_left_) send_all({failure.process, status, failure.message});
            is_sent = true;
            if (world_.process == 0 && !has_left_) return *(declared_ = failure);
            const bool is_connected = !peers_.empty() && peers_.front().socket.is_open();
            // (If the first process is gone, the second one reports it for all.)
            if (!has_left_ && !is_connected && failure.process == 0 && world_.process > 1)
                return {failure.process, failure.exit, "", failure.signal};
            if (!has_left_ && (!is_connected || seconds_since(begin) > longest_answer)) return failure;
        }
        pause(0.005);  // forever once has_left_: the watching thread is ending this process
    }
}

std::optional<Declared> Connection::declared() {
    const std::lock_guard lock(mutex_);
    look();
    return declared_;
}

std::optional<std::size_t> Connection::lost() {
    const std::lock_guard lock(mutex_);
    look();
    for (const Peer& peer : peers_)
        if (peer.process && !peer.socket.is_open() && !peer.has_ended_well) return peer.process;
    return std::nullopt;
}

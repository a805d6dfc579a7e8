// SPDX-License-Identifier: MIT
// How processes without a common folder learn of each other's end: each has a connection to the first, which breaks
// when it ends. The first listens at the port after that of NCCL_COMM_ID, and passes on what it receives.
//
// They send lines of text: the number of a process, its exit status and a message. A process's first line says that it
// has come; that of the first process says that all have come. A later line says how a process has ended.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/gang/contact.hpp"
#include "common/gang/launcher.hpp"

// An open socket.
class Socket {
public:
    explicit Socket(int number = -1) : number_(number) {}
    ~Socket();
    Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

class Connection final : public Contact {
public:
    // Joins the others at `address`, the HOST:PORT of NCCL_COMM_ID. Throws Failure if the next port cannot be used, or
    // if some have not come after `seconds` seconds. The message is "" if another process reports the failure.
    Connection(const World& world, const std::string& address, double seconds);
    ~Connection() override { leave(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void finish() override;
    void leave() override;
    std::string host_of(std::size_t process) const override { return hosts_[process]; }
    Declared declare(const Declared& failure) override;
    std::optional<Declared> declared() override;
    std::optional<std::size_t> lost() override;
    double seconds_between_looks() const override { return 0.05; }

private:
    // The other end of a connection.
    struct Peer {
        Socket socket;
        std::optional<std::size_t> process;  // once its first line has come
        std::string received;                // of an incomplete line
        bool has_ended_well = false;
    };
    struct Line {
        std::size_t process;
        int status;
        std::string words;
    };

    void listen_at(const std::string& host, const std::string& port);
    void await_others(double seconds);
    void connect_to_first(const std::string& host, const std::string& port, double seconds);
    void end_if_signalled();
    [[noreturn]] void end_as_declared() const;

    // Handles whatever has come in on any socket.
    void look();
    void accept_others();
    void receive(Peer& peer);
    void understand(Peer& peer, const std::string& text);
    void welcome(Peer& peer, const Line& line);
    void send(const Peer& peer, const Line& line) const;
    void send_all(const Line& line) const;
    static std::optional<Line> line_of(const std::string& text);
    std::string greeting() const;

    const World world_;
    const std::string place_;  // where the first process listens, for messages
    std::vector<std::string> hosts_;
    std::mutex mutex_;
    Socket listener_;
    std::vector<Peer> peers_;  // in the first process, all others, which may come twice; in the others, the first alone
    std::optional<Declared> declared_;
    bool is_complete_ = false, has_left_ = false;
};

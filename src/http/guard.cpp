#include "http/guard.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include <httplib.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/budget.h"
#include "http/connection.h"
#include "http/peer.h"
#include "http/slots.h"

namespace notesdb::http {
namespace {

// The packaged library was compiled with macros that change its structures; without the same ones
// (pkg-config --cflags cpp-httplib) ours and its would silently overwrite each other.
static_assert(sizeof(httplib::Request) == 608, "compile with pkg-config --cflags cpp-httplib");

constexpr std::chrono::seconds time_to_finish{5};
// The library listens with room for 5; a burst of clients would wait a second for a lost greeting.
constexpr int backlog = 1024;

// What this thread serves, for the handler that the library calls without saying.
struct Serving {
  Connection& connection;
  const Request& request;
  std::optional<Slots::Room>& room;         // until there is an answer
  std::optional<Slots::Wait> writing = {};  // from then on
};
thread_local Serving* serving = nullptr;
// Whether the thread that runs a connection is the acceptor itself, since there is no slot.
thread_local bool crowded = false;

// What the library sees of a connection: a finished request, and where the answer goes.
class Memory : public httplib::Stream {
 public:
  Memory(Connection& connection, std::string request)
      : connection_(connection), request_(std::move(request)) {}

  bool is_readable() const override { return at_ < request_.size(); }
  bool is_writable() const override { return !connection_.closed(); }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = request_.copy(to, size, at_);
    at_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override {
    return connection_.write({bytes, size}) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
  std::string request_;
  std::size_t at_ = 0;
};

bool is_want_of_memory(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// A thread for each connection, as long as there is a slot for it.
class Threads : public httplib::TaskQueue {
 public:
  explicit Threads(Slots& slots) : slots_(slots) {}

  void enqueue(std::function<void()> work) override {
    if (slots_.enter()) {
      try {
        // The library takes this queue down before its last threads have ended.
        std::thread([&slots = slots_, work] {
          slots.arrive();
          work();
          slots.leave();
        }).detach();
        return;
      } catch (const std::exception&) {  // the system has no thread, or no memory
        slots_.arrive();
        slots_.leave();
      }
    }
    crowded = true;
    work();
    crowded = false;
  }
  // Whoever serves waits for the slots.
  void shutdown() override {}

 private:
  Slots& slots_;
};

// The library's end of an event stream.
class ChunkSink : public mcp::EventSink {
 public:
  ChunkSink(httplib::DataSink& sink, Connection& connection)
      : sink_(sink), connection_(connection) {}
  bool write(std::string_view bytes) override { return sink_.write(bytes.data(), bytes.size()); }
  bool closed() override { return connection_.closed(); }

 private:
  httplib::DataSink& sink_;
  Connection& connection_;
};

}  // namespace

class Guard::Library : public httplib::Server {
 public:
  Library(Limits limits, http::Handler handler)
      : limits_(limits), handler_(std::move(handler)), stop_event_(::eventfd(0, EFD_CLOEXEC)) {
    new_task_queue = [this] { return new Threads(slots_); };
    // The library would let a second server share the port, each getting some of the clients.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_keep_alive_max_count(static_cast<std::size_t>(limits_.requests));
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& response) {
      answer(response);
      return HandlerResponse::Handled;
    });
    // The library would put what was thrown into a header.
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, std::exception_ptr thrown) {
          response.status = is_want_of_memory(thrown) ? 503 : 500;
        });
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() override { ::close(stop_event_); }

  bool serve(const Rules& rules) {
    rules_ = rules;
    ::listen(svr_sock_, backlog);
    if (!stopped_.load()) listen_after_bind();
    return slots_.wait_until_empty(time_to_finish);
  }

  void halt() {
    stopped_.store(true);
    ::eventfd_write(stop_event_, 1);
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection connection(socket, stop_event_, limits_);
    if (crowded) {
      connection.refuse({503, "Service Unavailable", {}}, 0);
    } else {
      serve_all(connection);
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  void serve_all(Connection& connection) {
    try {
      int left = limits_.requests;
      const bool is_ours = rules_.loopback && is_own_user(connection.socket());
      const Peer peer = is_ours ? Peer::own_user : Peer::stranger;
      while (serve_one(connection, peer, --left == 0)) {
      }
    } catch (const std::bad_alloc&) {
      refuse_for_want_of_memory(connection);
    }
  }

  // The request has given back what it held. Where even the refusal finds no memory, or the answer
  // has begun to leave, a connection that closes is all that can be told.
  static void refuse_for_want_of_memory(Connection& connection) {
    try {
      if (!connection.has_answered()) connection.refuse({503, "Service Unavailable", {}});
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  // Whether the connection may bring another request.
  bool serve_one(Connection& connection, Peer peer, bool is_last) {
    keep_memory_reserve();
    std::optional<Slots::Room> room;
    auto read = read_request(connection, peer, room);
    if (const auto* refusal = std::get_if<Refusal>(&read)) connection.refuse(*refusal);
    auto* request = std::get_if<Request>(&read);
    if (request == nullptr) return false;
    if (is_last) request->keep_alive = false;
    return pass_on(connection, *request, room);
  }

  std::variant<std::monostate, Request, Refusal> read_request(Connection& connection,
                                                              Peer peer,
                                                              std::optional<Slots::Room>& room) {
    const Slots::Wait wait(slots_, connection.socket());
    auto read = connection.next_head();
    auto* request = std::get_if<Request>(&read);
    if (request == nullptr) return read;
    if (const std::optional<Refusal> refusal = judge(*request, rules_, peer)) return *refusal;
    room.emplace(slots_, connection.socket(), request->body_bytes);
    if (!*room) return Refusal{503, "Service Unavailable", {}};
    if (!connection.read_body(*request)) return Refusal{408, "Request Timeout", {}};
    return read;
  }

  bool pass_on(Connection& connection, const Request& request, std::optional<Slots::Room>& room) {
    Serving here{connection, request, room};
    serving = &here;
    Memory memory(connection, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    bool closed = false;
    process_request(memory, !request.keep_alive, closed, nullptr);
    if (connection.is_stream()) {
      connection.end_stream();
      slots_.end_stream();
    }
    return connection.flush() && request.keep_alive && !closed && !stopped_.load();
  }

  void answer(httplib::Response& response) {
    Connection& connection = serving->connection;
    Answer answer = handler_(serving->request, [&] { return connection.closed(); });
    serving->room.reset();
    response.status = answer.status;
    for (const auto& [name, value] : answer.headers)
      response.set_header(name, value);
    if (answer.stream) {
      stream(connection, std::move(answer), response);
      return;
    }
    serving->writing.emplace(slots_, connection.socket());
    if (!answer.body.empty()) {
      response.set_header("Content-Type", answer.content_type);
      response.body = std::move(answer.body);
    }
  }

  void stream(Connection& connection, Answer answer, httplib::Response& response) {
    if (!slots_.become_stream()) {
      response.status = 503;
      return;
    }
    connection.become_stream();
    response.set_header("X-Accel-Buffering", "no");
    response.set_header("Cache-Control", "no-cache");
    response.set_chunked_content_provider(
        "text/event-stream",
        [&connection, write = std::move(answer.stream)](std::size_t, httplib::DataSink& sink) {
          ChunkSink events(sink, connection);
          write(events);
          sink.done();
          return true;
        });
  }

  Limits limits_;
  http::Handler handler_;
  Rules rules_;
  Slots slots_{limits_};
  int stop_event_;
  std::atomic<bool> stopped_ = false;
};

Guard::Guard(Limits limits, Handler handler)
    : library_(std::make_unique<Library>(limits, std::move(handler))) {}

Guard::~Guard() = default;

int Guard::bind(const std::string& host, int port) {
  errno = 0;
  if (port == 0) return std::max(library_->bind_to_any_port(host), 0);
  return library_->bind_to_port(host, port) ? port : 0;
}

bool Guard::serve(const Rules& rules) {
  return library_->serve(rules);
}

void Guard::stop() {
  library_->halt();
}

}  // namespace notesdb::http

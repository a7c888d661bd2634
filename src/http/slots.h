// Slots: how many connections are open, as plain ones and as event streams, and how much of large
// bodies is in memory, against their bounds.
//
// When all are taken, whoever has kept one waiting the longest, for the rest of a request or for an
// answer to be taken, loses it to the newcomer: silent and slow connections cannot keep out others.
// Who has just come is given a moment first: a burst may fill the bound twice over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>

#include "http/request.h"

namespace notesdb::http {

class Slots {
 public:
  // A connection waits for its client, as long as this stands.
  class Wait {
   public:
    Wait(Slots& slots, int socket) : slots_(slots), socket_(socket) { slots_.wait_begins(socket_); }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() { slots_.wait_ends(socket_); }

   private:
    Slots& slots_;
    int socket_;
  };

  // Room for the body of a request, from before it is read until it is answered.
  class Room {
   public:
    Room(Slots& slots, int socket, std::size_t bytes)
        : slots_(slots), bytes_(slots_.take_room(socket, bytes) ? bytes : 0), asked_(bytes) {}
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { slots_.give_back(bytes_); }
    explicit operator bool() const { return bytes_ == asked_; }

   private:
    Slots& slots_;
    std::size_t bytes_;
    std::size_t asked_;
  };

  explicit Slots(const Limits& limits) : limits_(limits) {}

  // One more connection; false if there are too many, all of them running.
  bool enter();
  // Who has entered is looked after now.
  void arrive();
  void leave();
  // A connection becomes an event stream; false if there are too many of those.
  bool become_stream();
  // The stream is over and the connection a plain one again, over its bound if need be.
  void end_stream();
  // Whether all have left within the time.
  bool wait_until_empty(std::chrono::milliseconds time);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    int socket = -1;
    Clock::time_point since = {};
    bool has_room = false;
  };

  void wait_begins(int socket);
  void wait_ends(int socket);
  bool take_room(int socket, std::size_t bytes);
  void give_back(std::size_t bytes);
  // Shuts down the connection that has waited the longest, of those with room or of all.
  bool turn_out(bool with_room);
  // Whether somebody waits who has not had the time to say anything.
  bool is_burst() const;

  const Limits& limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiting> waiting_;  // the longest first
  unsigned connections_ = 0;
  unsigned arriving_ = 0;  // of them, those that nobody looks after yet
  unsigned streams_ = 0;
  std::size_t bytes_ = 0;  // of large bodies
};

}  // namespace notesdb::http

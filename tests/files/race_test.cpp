// Our writers against each other and against programs that know nothing of our lock.
//
// Every version of the row is a token with the token it was made from, so that after the race each
// acknowledged version can be asked what became of it: it is the row, or somebody built on it, or
// it lies in a conflict copy or in the store. Otherwise it was destroyed.
//
// A race ends when both sides have written often enough, however slow the machine is: now and then
// the other program waits until one of ours has come through, as a person would who types.
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/etag.h"
#include "files/names.h"
#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

using Clock = std::chrono::steady_clock;

std::string version(const std::string& token, const std::string& base) {
  return token + "|" + base + "|" + std::string(3'000, 'x') + ";END\n";
}

bool is_whole(const std::string& bytes) {
  return bytes.ends_with(";END\n");
}

std::string token_of(const std::string& bytes) {
  return bytes.find('|') == std::string::npos ? "" : bytes.substr(0, bytes.find('|'));
}

// How often each side has written, in memory that the processes share.
class Tally {
 public:
  Tally()
      : counts_(static_cast<Counts*>(::mmap(
            nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;
  ~Tally() { ::munmap(counts_, sizeof(Counts)); }

  std::atomic<int>& ours() const { return counts_->ours; }
  std::atomic<int>& others() const { return counts_->others; }
  bool is_enough() const { return (ours() >= 20 && others() >= 100) || Clock::now() > longest_; }
  // Until one of ours has come through.
  void wait_for_ours() const {
    for (const int seen = ours(); ours() == seen && !is_enough();)
      ::usleep(200);
  }

 private:
  struct Counts {
    std::atomic<int> ours;
    std::atomic<int> others;
  };
  Counts* counts_;
  Clock::time_point longest_ = Clock::now() + std::chrono::minutes(2);
};

// What a process did, one line each, beside the workspace.
class Log {
 public:
  Log(const TemporaryFolder& folder, const std::string& name)
      : file_(::open(folder.at("log." + name).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600)) {}
  void say(char kind, const std::string& token, const std::string& base) {
    write_whole(file_.get(), std::string(1, kind) + " " + token + " " + base + "\n");
  }

 private:
  Descriptor file_;
};

void wait_us(std::mt19937& chance, unsigned most) {
  ::usleep(static_cast<useconds_t>(chance() % most));
}

pid_t in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  work();
  ::_exit(0);
}

void update(const TemporaryFolder& folder, int number, const Tally& tally) {
  Log log(folder, "u" + std::to_string(number));
  std::mt19937 chance(static_cast<unsigned>(number));
  Result<std::unique_ptr<Disk>> disk = Disk::open(folder.at("notes"));
  for (int i = 0; !tally.is_enough(); ++i) {
    const Result<FileBytes> now = (*disk)->read("row.md");
    if (!now || now->being_written || !is_whole(now->bytes)) continue;
    wait_us(chance, 200);
    const std::string token = "U" + std::to_string(number) + "." + std::to_string(i);
    const std::string base = token_of(now->bytes);
    if (!(*disk)->replace("row.md", now->etag, version(token, base))) continue;
    log.say('U', token, base);
    ++tally.ours();
  }
}

// As sed -i and rsync save: a new file renamed over. The exchange tells what was there before.
std::string save_by_rename(const std::string& row, const std::string& bytes, std::mt19937&) {
  const std::string temp = row.substr(0, row.rfind('/')) + "/sedAbCdEf";
  {
    const Descriptor file(::open(temp.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    write_whole(file.get(), bytes);
  }
  if (::renameat2(AT_FDCWD, temp.c_str(), AT_FDCWD, row.c_str(), RENAME_EXCHANGE) != 0) return "-";
  std::string before;
  read_whole(Descriptor(::open(temp.c_str(), O_RDONLY)).get(), max_file, before);
  ::unlink(temp.c_str());
  return token_of(before);
}

// As most editors save: truncated in place, written in two halves.
std::string save_in_place(const std::string& row, const std::string& bytes, std::mt19937& chance) {
  const Descriptor file(::open(row.c_str(), O_RDWR));
  if (!file) return "-";
  std::string before;
  read_whole(file.get(), max_file, before);
  if (::ftruncate(file.get(), 0) != 0) return "-";
  write_whole(file.get(), bytes.substr(0, 1'000));
  wait_us(chance, 300);
  write_whole(file.get(), bytes.substr(1'000));
  return token_of(before);
}

// As git checks out: unlinked, created again, written.
std::string save_as_git(const std::string& row, const std::string& bytes, std::mt19937& chance) {
  std::string before;
  const Descriptor old(::open(row.c_str(), O_RDONLY));
  if (old) read_whole(old.get(), max_file, before);
  ::unlink(row.c_str());
  wait_us(chance, 50);
  const Descriptor file(::open(row.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644));
  if (!file) return "-";
  write_whole(file.get(), bytes.substr(0, 1'000));
  wait_us(chance, 100);
  write_whole(file.get(), bytes.substr(1'000));
  return token_of(before);
}

using Save = std::string (*)(const std::string&, const std::string&, std::mt19937&);

void save_from_outside(const TemporaryFolder& folder, Save save, const Tally& tally) {
  Log log(folder, "w");
  std::mt19937 chance(4'242);
  constexpr unsigned saves_in_a_row = 8;
  for (int i = 0; !tally.is_enough(); ++i) {
    ::usleep(500);
    wait_us(chance, 3'000);
    if (chance() % saves_in_a_row == 0) tally.wait_for_ours();
    const std::string token = "W." + std::to_string(i);
    const std::string base = save(folder.at("notes/row.md"), version(token, ""), chance);
    if (base == "-") continue;
    log.say('W', token, base);
    ++tally.others();
  }
}

struct Account {
  std::set<std::string> ours;
  std::set<std::string> others;
  std::map<std::string, int> built_on_by_us;
  std::set<std::string> accounted_for;
};

void account_for_logs(const TemporaryFolder& folder, Account& account) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().filename().string().rfind("log.", 0) != 0) continue;
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      std::istringstream parts(line);
      std::string kind;
      std::string token;
      std::string base;
      parts >> kind >> token >> base;
      (kind == "U" ? account.ours : account.others).insert(token);
      account.accounted_for.insert(base);
      if (kind == "U") ++account.built_on_by_us[base];
    }
  }
}

// The row, conflict copies beside it, and versions that somebody wrote to after we put them aside.
void account_for_files(const TemporaryFolder& folder, const Disk& disk, Account& account) {
  const Result<std::vector<Entry>> entries = disk.list(".");
  for (const Entry& entry : *entries) {
    if (entry.kind != FileKind::regular) continue;
    INFO(entry.name);
    CHECK((entry.name == "row.md" || is_conflict_copy(entry.name)));
    account.accounted_for.insert(token_of(folder.get("notes/" + entry.name)));
  }
  const Result<std::vector<JournalEntry>> history = disk.history("", 1'000'000);
  for (const JournalEntry& step : *history) {
    const Result<FileBytes> kept = disk.read_kept(step.file);
    if (kept && kept->etag != step.old_etag) account.accounted_for.insert(token_of(kept->bytes));
  }
}

std::size_t lost(const std::set<std::string>& tokens, const Account& account) {
  std::size_t count = 0;
  for (const std::string& token : tokens) {
    if (account.accounted_for.count(token) > 0) continue;
    UNSCOPED_INFO("lost: " << token);
    ++count;
  }
  return count;
}

Account race(const TemporaryFolder& folder, Save save) {
  folder.put("notes/row.md", version("START", ""));
  const Tally tally;
  std::vector<pid_t> children;
  for (const int number : {1, 2})
    children.push_back(in_child([&] { update(folder, number, tally); }));
  children.push_back(in_child([&] { save_from_outside(folder, save, tally); }));
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  Account account;
  account_for_logs(folder, account);
  account_for_files(folder, **Disk::open(folder.at("notes")), account);
  WARN(account.ours.size() << " updates of ours against " << account.others.size()
                           << " saves of another program");
  return account;
}

}  // namespace

TEST_CASE("a program that saves by rename loses nothing to us", "[files][race]") {
  const TemporaryFolder folder;
  const Account account = race(folder, save_by_rename);
  CHECK(account.ours.size() >= 20);
  CHECK(account.others.size() >= 100);
  CHECK(lost(account.others, account) == 0);
  CHECK(lost(account.ours, account) == 0);
  for (const auto& [base, count] : account.built_on_by_us)
    CHECK(count == 1);
}

TEST_CASE("an editor that saves in place loses nothing to us", "[files][race]") {
  const TemporaryFolder folder;
  const Account account = race(folder, save_in_place);
  CHECK(account.ours.size() >= 20);
  CHECK(account.others.size() >= 100);
  CHECK(lost(account.others, account) == 0);
  CHECK(lost(account.ours, account) == 0);
}

// git may unlink our row after its own look at it, which no order of ours can stop.
TEST_CASE("git loses nothing to us", "[files][race]") {
  const TemporaryFolder folder;
  const Account account = race(folder, save_as_git);
  CHECK(account.ours.size() >= 20);
  CHECK(account.others.size() >= 100);
  CHECK(lost(account.others, account) == 0);
}

TEST_CASE("eight processes that count in one row lose no count", "[files][race]") {
  constexpr int processes = 8;
  constexpr int each = 25;
  const TemporaryFolder folder;
  folder.put("row.md", "0");
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(in_child([&] {
      const auto disk = folder.open();
      for (int done = 0; done < each;) {
        const Result<FileBytes> now = disk->read("row.md");
        if (!now) ::_exit(1);
        const std::string next = std::to_string(std::stoi(now->bytes) + 1);
        const Result<Written> written = disk->replace("row.md", now->etag, next);
        if (written) ++done;
        if (!written && written.error().code != ErrorCode::conflict) ::_exit(2);
      }
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(folder.get("row.md") == std::to_string(processes * each));
  CHECK(folder.picture().size() == 1);
}

TEST_CASE("two processes create one name once", "[files][race]") {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(in_child([&] {
      const auto disk = folder.open();
      for (int row = 0; row < 40;) {
        const Result<Written> written = disk->create("row-" + std::to_string(row) + ".md", "x");
        if (written) Log(folder, std::to_string(::getpid())).say('U', std::to_string(row), "");
        ++row;
      }
    }));
  }
  for (const pid_t child : children)
    ::waitpid(child, nullptr, 0);
  std::multiset<std::string> made;
  for (const auto& [name, bytes] : folder.picture()) {
    std::istringstream lines(name.rfind("log.", 0) == 0 ? bytes : "");
    for (std::string line; std::getline(lines, line);)
      made.insert(line);
  }
  CHECK(made.size() == 40);
  CHECK(std::set<std::string>(made.begin(), made.end()).size() == 40);
}

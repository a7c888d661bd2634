#include "driving/folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace notesdb::driving {
namespace fs = std::filesystem;
namespace {

bool is_ours(const fs::path& name) {
  return name == ".notesdb" || name == ".git";
}

std::string content_of(const fs::directory_entry& entry) {
  if (entry.is_symlink()) return "link:" + fs::read_symlink(entry.path()).string();
  if (entry.is_regular_file()) return "file:" + read_bytes(entry.path());
  return "other";
}

void read_into(Tree& tree, const fs::path& root, const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_ours(entry.path().filename())) continue;
    const std::string name = fs::relative(entry.path().parent_path(), root).string();
    const std::string path = name == "." ? entry.path().filename().string()
                                         : name + "/" + entry.path().filename().string();
    if (entry.is_symlink() || !entry.is_directory()) {
      tree[path] = content_of(entry);
    } else {
      if (fs::is_empty(entry.path())) tree[path] = "folder";
      read_into(tree, root, entry.path());
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    const std::size_t stop = end == std::string::npos ? text.size() : end + 1;
    lines.push_back(text.substr(start, stop - start));
    start = stop;
  }
  return lines;
}

// The lines between the common beginning and the common end, as `-` and `+`.
std::string changed_lines(const std::string& expected, const std::string& found) {
  const auto a = lines_of(expected);
  const auto b = lines_of(found);
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head])
    ++head;
  std::size_t tail = 0;
  while (tail + head < a.size() && tail + head < b.size() &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::ostringstream out;
  out << "    from line " << head + 1 << " (- expected, + found)\n";
  for (std::size_t i = head; i + tail < a.size(); ++i)
    out << "    -" << visible(a[i]) << "\n";
  for (std::size_t i = head; i + tail < b.size(); ++i)
    out << "    +" << visible(b[i]) << "\n";
  return out.str();
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "notesdb-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = fs::canonical(name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Tree read_tree(const fs::path& folder) {
  Tree tree;
  if (fs::exists(folder)) read_into(tree, folder, folder);
  return tree;
}

std::string difference(const Tree& expected, const Tree& found) {
  std::string out;
  for (const auto& [path, content] : expected) {
    const auto other = found.find(path);
    if (other == found.end())
      out += "  missing: " + visible(path) + "\n";
    else if (other->second != content)
      out += "  differs: " + visible(path) + "\n" + changed_lines(content, other->second);
  }
  for (const auto& [path, content] : found)
    if (expected.count(path) == 0)
      out += "  not expected: " + visible(path) + "\n" + changed_lines("", content);
  return out;
}

std::string read_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

void copy_tree(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  if (!fs::exists(from)) return;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

std::string visible(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || byte == 0xef) {
      out += std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace notesdb::driving

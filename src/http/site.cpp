#include "http/site.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mcp/base64.h"
#include "mcp/random.h"

namespace notesdb::http {
namespace {

constexpr std::string_view shell_path = "/";
constexpr std::string_view nonce_mark = "@NONCE@";

const Asset* find_asset(const Assets& assets, std::string_view path) {
  const auto found = std::ranges::find(assets, path, &Asset::path);
  return found == assets.end() ? nullptr : &*found;
}

bool accepts_gzip(const Request& request) {
  const std::string* accepted = request.headers.find("Accept-Encoding");
  return accepted != nullptr && accepted->find("gzip") != std::string::npos &&
         accepted->find("gzip;q=0") == std::string::npos;
}

// Fresh for each answer: style sheets that scripts add must name it.
std::string make_nonce() {
  return mcp::to_base64(mcp::random_bytes(16));
}

std::string policy(const std::string& nonce) {
  return "default-src 'none'; script-src 'self'; style-src 'self'" +
         (nonce.empty() ? std::string() : " 'nonce-" + nonce + "'") +
         "; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
         "trusted-types dompurify";
}

void add_headers(Answer& answer, const std::string& nonce) {
  answer.headers.emplace_back("Content-Security-Policy", policy(nonce));
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("X-Frame-Options", "DENY");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

Answer shell_answer(const Asset& shell) {
  const std::string nonce = make_nonce();
  Answer answer{200, std::string(shell.type), std::string(shell.plain), {}, {}};
  const std::size_t at = answer.body.find(nonce_mark);
  if (at != std::string::npos) answer.body.replace(at, nonce_mark.size(), nonce);
  add_headers(answer, nonce);
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

Answer asset_answer(const Asset& asset, const Request& request) {
  const bool compressed = accepts_gzip(request) && !asset.gzip.empty();
  Answer answer{
      200, std::string(asset.type), std::string(compressed ? asset.gzip : asset.plain), {}, {}};
  if (compressed) answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  answer.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  add_headers(answer, {});
  return answer;
}

Answer text_answer(int status, std::string text) {
  Answer answer{status, "text/plain; charset=utf-8", std::move(text), {}, {}};
  answer.headers.emplace_back("Cache-Control", "no-store");
  add_headers(answer, {});
  return answer;
}

}  // namespace

Answer site_answer(const Assets& assets, const Request& request) {
  const Asset* asset = find_asset(assets, request.path);
  if (asset != nullptr && asset->path == shell_path) return shell_answer(*asset);
  if (asset != nullptr) return asset_answer(*asset, request);
  if (request.path == shell_path) {
    return text_answer(
        200,
        "notesdb serves the Model Context Protocol at /mcp, tools at POST /call/TOOL "
        "and changes at /events; this build has no page\n");
  }
  return text_answer(404, "not found\n");
}

}  // namespace notesdb::http

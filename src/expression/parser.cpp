#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "expression/failure.h"
#include "expression/fields.h"
#include "expression/regexp.h"
#include "expression/syntax.h"

namespace notesdb::expression {

namespace {

enum class TokenKind { end, number, string, name, sign };

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t position = 0;
  std::string_view text{};  // of a string what stands between the quotes
};

// What is wrong with a text, thrown from where it is found to parse_syntax.
struct Mistake {
  std::uint32_t position;
  std::string message;
};

// Letters of every script count: what is no ASCII may stand in a name.
bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

constexpr std::array<std::string_view, 26> signs{"&&", "||", "==", "!=", "<=", ">=", "<", ">", "+",
                                                 "-",  "*",  "/",  "%",  "!",  "(",  ")", "[", "]",
                                                 "{",  "}",  ",",  ".",  ":",  "=",  "&", "|"};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    while (at_ < text_.size() && is_space(text_[at_]))
      ++at_;
    const auto begin = static_cast<std::uint32_t>(at_);
    if (at_ == text_.size()) return {TokenKind::end, begin};
    const char c = text_[at_];
    if (is_digit(c)) return {TokenKind::number, begin, take_number()};
    if (c == '"' || c == '\'') return {TokenKind::string, begin, take_string()};
    if (begins_name(c)) return {TokenKind::name, begin, take_name()};
    for (const std::string_view sign : signs) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      return {TokenKind::sign, begin, sign};
    }
    throw Mistake{begin, "unexpected character '" + escape_controls(text_.substr(at_, 1)) + "'"};
  }

  // The pattern and the flags of /pattern/flags; the lexer stands behind the first '/'.
  std::pair<std::string_view, std::string_view> take_regexp() {
    const std::size_t begin = at_;
    bool in_class = false;
    for (; at_ < text_.size() && (in_class || text_[at_] != '/'); ++at_) {
      if (text_[at_] == '\\')
        ++at_;
      else if (text_[at_] == '[')
        in_class = true;
      else if (text_[at_] == ']')
        in_class = false;
    }
    if (at_ >= text_.size())
      throw Mistake{static_cast<std::uint32_t>(begin - 1),
                    "the pattern that begins here is not closed by '/'"};
    const std::string_view pattern = text_.substr(begin, at_ - begin);
    const std::size_t flags = ++at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
    return {pattern, text_.substr(flags, at_ - flags)};
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view take_number() {
    const std::size_t begin = at_;
    skip_digits();
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      ++at_;
      skip_digits();
    }
    return text_.substr(begin, at_ - begin);
  }

  void skip_digits() {
    while (at_ < text_.size() && is_digit(text_[at_]))
      ++at_;
  }

  std::string_view take_string() {
    const std::size_t begin = at_++;
    for (; at_ < text_.size() && text_[at_] != text_[begin]; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size())
      throw Mistake{static_cast<std::uint32_t>(begin), "the string that begins here is not closed"};
    return text_.substr(begin + 1, at_++ - begin - 1);
  }

  std::string_view take_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (begins_name(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      plain += text[at];
      continue;
    }
    const char c = text[++at];
    plain += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return plain;
}

struct BinarySign {
  std::string_view sign;
  Operation operation;
  int strength;
};

constexpr std::array<BinarySign, 13> binary_signs{{
    {"||", Operation::either, 1},
    {"&&", Operation::both, 2},
    {"==", Operation::equal, 3},
    {"!=", Operation::unequal, 3},
    {"<", Operation::less, 4},
    {">", Operation::greater, 4},
    {"<=", Operation::at_most, 4},
    {">=", Operation::at_least, 4},
    {"+", Operation::add, 5},
    {"-", Operation::subtract, 5},
    {"*", Operation::multiply, 6},
    {"/", Operation::divide, 6},
    {"%", Operation::remainder, 6},
}};

const BinarySign* find_binary(const Token& token) {
  if (token.kind != TokenKind::sign) return nullptr;
  const auto* found = std::ranges::find(binary_signs, token.text, &BinarySign::sign);
  return found == binary_signs.end() ? nullptr : found;
}

std::string told(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the expression";
  return "'" + escape_controls(token.text.substr(0, 40)) + "'";
}

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { token_ = lexer_.next(); }

  Node parse_all() {
    Node tree = parse_operators(0);
    if (token_.kind == TokenKind::sign && token_.text == "=")
      throw Mistake{token_.position, "'=' does not compare; write '=='"};
    if (token_.kind != TokenKind::end)
      throw Mistake{token_.position,
                    "unexpected " + told(token_) + "; expected an operator or the end"};
    return tree;
  }

  std::vector<Problem> problems() && { return std::move(problems_); }

 private:
  bool at(std::string_view sign) const {
    return token_.kind == TokenKind::sign && token_.text == sign;
  }

  Token take() {
    const Token taken = token_;
    token_ = lexer_.next();
    return taken;
  }

  bool take_if(std::string_view sign) {
    if (!at(sign)) return false;
    take();
    return true;
  }

  void expect(std::string_view sign, std::string_view what) {
    if (take_if(sign)) return;
    throw Mistake{token_.position,
                  "expected '" + std::string(sign) + "' " + std::string(what) + " instead of " +
                      told(token_)};
  }

  class Nested {
   public:
    Nested(Parser& parser, std::uint32_t position) : parser_(parser) {
      if (++parser_.nesting_ > max_nesting)
        throw Mistake{position,
                      "the expression nests more than " + std::to_string(max_nesting) + " deep"};
    }
    ~Nested() { --parser_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  static Node node_of(NodeKind kind, std::uint32_t position, std::vector<Node> children = {}) {
    Node node{.kind = kind, .position = position};
    for (const Node& child : children)
      node.depth = std::max(node.depth, child.depth + 1);
    if (node.depth > max_tree_depth)
      throw Mistake{position,
                    "more than " + std::to_string(max_tree_depth) + " operators in a row"};
    node.children = std::move(children);
    return node;
  }

  template <typename... Nodes>
  static std::vector<Node> nodes(Nodes&&... given) {
    std::vector<Node> all;
    all.reserve(sizeof...(given));
    (all.push_back(std::move(given)), ...);
    return all;
  }

  Node parse_operators(int least) {
    Node left = parse_signed();
    for (const BinarySign* sign = find_binary(token_); sign != nullptr && sign->strength > least;
         sign = find_binary(token_)) {
      const std::uint32_t position = take().position;
      Node right = parse_operators(sign->strength);
      left = node_of(NodeKind::binary, position, nodes(std::move(left), std::move(right)));
      left.operation = sign->operation;
    }
    return left;
  }

  Node parse_signed() {
    const Nested nested(*this, token_.position);
    const std::uint32_t position = token_.position;
    if (take_if("!")) return node_of(NodeKind::inverse, position, nodes(parse_signed()));
    if (take_if("-")) return node_of(NodeKind::negative, position, nodes(parse_signed()));
    if (at("+")) throw Mistake{position, "a sign '+' is not supported; leave it out"};
    return parse_suffixes(parse_primary());
  }

  Node parse_suffixes(Node node) {
    for (;;) {
      const std::uint32_t position = token_.position;
      if (take_if(".")) {
        node = parse_member(std::move(node), position);
      } else if (take_if("[")) {
        Node key = parse_operators(0);
        expect("]", "behind an index");
        node = element_of(std::move(node), std::move(key), position);
      } else {
        return node;
      }
    }
  }

  Node parse_member(Node object, std::uint32_t position) {
    if (object.kind == NodeKind::literal && object.value.is(Kind::number) &&
        !object_in_parentheses_)
      throw Mistake{position,
                    "a number needs parentheses before '.'; write (" +
                        number_text(object.value.number()) + ")."};
    if (token_.kind != TokenKind::name)
      throw Mistake{token_.position, "expected a name behind '.' instead of " + told(token_)};
    const Token name = take();
    if (at("(")) return parse_method(std::move(object), name);
    const std::string why =
        object.kind == NodeKind::file ? why_no_field_of_file(name.text) : std::string();
    if (!why.empty()) problems_.push_back({name.position, why});
    return member_of(std::move(object), std::string(name.text), name.position);
  }

  // `note.x` is a property and `formula.x` a formula, whichever way they are written.
  static Node member_of(Node object, std::string name, std::uint32_t position) {
    Node node = object.kind == NodeKind::note ? node_of(NodeKind::property, position)
                : is_formula_prefix(object)
                    ? node_of(NodeKind::formula, position)
                    : node_of(NodeKind::member, position, nodes(std::move(object)));
    node.name = std::move(name);
    return node;
  }

  static bool is_formula_prefix(const Node& node) {
    return node.kind == NodeKind::formula && node.name.empty();
  }

  static Node element_of(Node object, Node key, std::uint32_t position) {
    const bool is_named = key.kind == NodeKind::literal && key.value.is(Kind::string);
    if (is_named && (object.kind == NodeKind::note || is_formula_prefix(object)))
      return member_of(std::move(object), key.value.string(), position);
    return node_of(NodeKind::element, position, nodes(std::move(object), std::move(key)));
  }

  Node parse_method(Node object, const Token& name) {
    const auto functions = functions_named(name.text);
    const auto called = std::ranges::find_if(
        functions, [](const Function& function) { return function.receiver != Receiver::global; });
    if (called == functions.end()) miss_function(name, CallForm::method);
    const bool takes_expression = called != functions.end() && called->takes_expression();
    std::vector<Node> children = nodes(std::move(object));
    items_ += takes_expression ? 1 : 0;
    parse_arguments(children);
    items_ -= takes_expression ? 1 : 0;
    check_count(name, functions, children.size() - 1, CallForm::method);
    Node node = node_of(NodeKind::method, name.position, std::move(children));
    node.name = name.text;
    node.functions = functions;
    return node;
  }

  Node parse_call(const Token& name) {
    const auto functions = functions_named(name.text);
    const bool is_global = std::ranges::any_of(
        functions, [](const Function& function) { return function.receiver == Receiver::global; });
    if (!is_global) miss_function(name, CallForm::global);
    std::vector<Node> arguments;
    parse_arguments(arguments);
    if (is_global) check_count(name, functions, arguments.size(), CallForm::global);
    Node node = node_of(NodeKind::call, name.position, std::move(arguments));
    node.name = name.text;
    node.functions = functions;
    return node;
  }

  void parse_arguments(std::vector<Node>& arguments) {
    expect("(", "before arguments");
    if (take_if(")")) return;
    do
      arguments.push_back(parse_operators(0));
    while (take_if(","));
    expect(")", "behind the arguments");
  }

  void miss_function(const Token& name, CallForm form) {
    const Error error =
        unknown_name(ErrorCode::invalid_argument, "function", name.text, function_names(form));
    problems_.push_back({name.position, error.message});
  }

  // Where one of its functions takes so many arguments, only evaluation can tell which is meant.
  void check_count(const Token& name,
                   std::span<const Function> functions,
                   std::size_t count,
                   CallForm form) {
    const Function* nearest = nullptr;
    for (const Function& function : functions) {
      if ((function.receiver == Receiver::global) != (form == CallForm::global)) continue;
      if (count >= function.min_arguments() && count <= function.max_arguments()) return;
      nearest = &function;
    }
    if (nearest == nullptr) return;
    problems_.push_back({name.position, nearest->signature() + " does not take " + counted(count)});
  }

  Node parse_primary() {
    object_in_parentheses_ = false;
    const Token token = take_primary();
    switch (token.kind) {
      case TokenKind::number:
        return literal(token, std::strtod(std::string(token.text).c_str(), nullptr));
      case TokenKind::string: return literal(token, unescaped(token.text));
      case TokenKind::name: return parse_name(token);
      case TokenKind::sign: return parse_bracketed(token);
      default: throw Mistake{token.position, "expected a value instead of " + told(token)};
    }
  }

  // A pattern is no sequence of tokens: it is read before the token behind its first '/' is.
  Token take_primary() {
    if (!at("/")) return take();
    const Token slash = token_;
    regexp_ = lexer_.take_regexp();
    token_ = lexer_.next();
    return slash;
  }

  static Node literal(const Token& token, Value value) {
    Node node = node_of(NodeKind::literal, token.position);
    node.value = std::move(value);
    return node;
  }

  Node parse_bracketed(const Token& token) {
    if (token.text == "(") {
      Node inner = parse_operators(0);
      expect(")", "to close '('");
      object_in_parentheses_ = true;
      return inner;
    }
    if (token.text == "[") return parse_list(token);
    if (token.text == "/") return parse_regexp(token);
    if (token.text == "{")
      throw Mistake{token.position, "an object '{...}' is not supported in an expression"};
    throw Mistake{token.position, "expected a value instead of " + told(token)};
  }

  Node parse_list(const Token& token) {
    std::vector<Node> items;
    if (!take_if("]")) {
      do
        items.push_back(parse_operators(0));
      while (take_if(","));
      expect("]", "to close '['");
    }
    return node_of(NodeKind::list, token.position, std::move(items));
  }

  Node parse_regexp(const Token& token) const {
    try {
      return literal(token, std::make_shared<const Regexp>(regexp_.first, regexp_.second));
    } catch (const Failure& failure) {
      throw Mistake{token.position, failure.what()};
    }
  }

  Node parse_name(const Token& token) {
    if (at("(")) return parse_call(token);
    if (token.text == "true" || token.text == "false") return literal(token, token.text == "true");
    if (token.text == "null") return literal(token, {});
    Node node = node_of(kind_of_name(token.text), token.position);
    if (node.kind == NodeKind::property) node.name = token.text;
    return node;
  }

  NodeKind kind_of_name(std::string_view name) const {
    if (name == "note") return NodeKind::note;
    if (name == "file") return NodeKind::file;
    if (name == "this") return NodeKind::embedding;
    if (name == "formula") return NodeKind::formula;
    if (items_ > 0 && name == "value") return NodeKind::item;
    if (items_ > 0 && name == "index") return NodeKind::index;
    if (items_ > 0 && name == "acc") return NodeKind::carried;
    return NodeKind::property;
  }

  Lexer lexer_;
  Token token_;
  std::pair<std::string_view, std::string_view> regexp_;
  std::vector<Problem> problems_;
  std::size_t nesting_ = 0;
  std::size_t items_ = 0;  // calls around that work an expression out for every item
  bool object_in_parentheses_ = false;
};

}  // namespace

std::string_view sign_of(Operation operation) {
  return std::ranges::find(binary_signs, operation, &BinarySign::operation)->sign;
}

Parsed parse_syntax(std::string_view text) {
  Parsed parsed;
  try {
    if (text.size() > max_expression_bytes)
      throw Mistake{0, "the expression is longer than 64 KiB"};
    Parser parser(text);
    parsed.tree = parser.parse_all();
    parsed.problems = std::move(parser).problems();
  } catch (const Mistake& mistake) {
    parsed.is_tree = false;
    parsed.problems = {{mistake.position, mistake.message}};
  }
  return parsed;
}

}  // namespace notesdb::expression

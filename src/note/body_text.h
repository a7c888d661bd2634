// Body text: the links, tags, tasks and inline fields of a body, as the editors of such notes see them.
//
//   [[Note#Heading|alias]]   ![[Image.png|100]]      wiki links; embeds are links too
//   [text](My%20Note.md#top "title")   [t](<my note.md>)   [r]: note.md
//   {{< ref "x.md#top" >}}   {{% relref "x" %}}      shortcodes of Hugo
//   {% link _posts/x.md %}   {% post_url x %}        tags of Jekyll
//   #project/alpha                                   a tag, behind white space or at a line's start;
//                                                    in Logseq a link to the page of that name
//   - [x] call Ann                                   a task: one letter in the box
//   rating:: 4.5   [mood:: good]   (k:: v)           inline fields: a line, or between brackets
//
// What stands in code (fenced, also inside lists and quotes, or between backticks), in an HTML
// comment or behind a backslash counts for nothing. An address with a scheme and a place within the
// note itself ([[#Heading]]) are no links here.
//
// Pure. Views lie in the body. Every character is looked at a bounded number of times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace notesdb {

enum class LinkForm { wiki, markdown, definition, shortcode, tag };

struct BodyLink {
  LinkForm form = LinkForm::wiki;
  bool is_embed = false;
  bool in_table = false;     // a bar in it is written `\|`
  bool in_angles = false;    // the destination stands between < and >
  std::string_view written;  // brackets and all, without the `!` of an embed
  std::string_view path;     // as it stands there, up to the first '#'
  std::string_view subpath;  // after that; empty if there is none
  std::string_view text;     // the alias or text; empty if there is none
};

// The path that a link means: of markdown without its escapes, a no-break space a space.
std::string path_meant(const BodyLink& link);

struct BodyTask {
  std::string_view box;    // the one character between the brackets
  std::string_view text;   // of the line behind the box
  std::uint32_t line = 0;  // of the body, from 0
};

// What is looked for; an empty function: that is not wanted.
struct BodyParts {
  std::function<void(const BodyLink&)> link{};
  bool tag_links = false;  // a tag outside brackets is a link too, of that form
  std::function<void(std::string_view tag)> tag{};  // without the '#'
  std::function<void(const BodyTask&)> task{};
  std::function<void(std::string_view key, std::string_view value)> field{};
};

// Whether `#` and this text are a tag.
bool is_tag_name(std::string_view text);

void scan_body(std::string_view body, const BodyParts& parts);

// The one link that a text is from end to end, as a field has it: [[Note|alias]] or [t](note.md).
// False if it is none.
bool scan_whole_link(std::string_view text, BodyLink& link);

}  // namespace notesdb

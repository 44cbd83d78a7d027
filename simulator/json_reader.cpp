// readColumns and readTree: nlohmann's parser, held to the letter of JSON where it is lenient.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "simulator/json_columns.h"
#include "simulator/json_events.h"
#include "simulator/json_text.h"
#include "simulator/json_tree.h"
#include "tilebeam/errors.h"

namespace tilebeam::json {
namespace {

using Json = nlohmann::json;

std::string byte(std::size_t position) { return "byte " + std::to_string(position); }

// What the library says, less its own bookkeeping and the text it quotes, which may be as long as
// the file.
std::string reason(std::string message) {
  message.resize(std::min(message.find("; last read: '"), message.size()));
  for (const char* const noise : {" - ", "syntax error "}) {
    const std::size_t start = message.find(noise);
    if (start != std::string::npos) message.erase(0, start + std::char_traits<char>::length(noise));
  }
  return "not JSON: " + message;
}

[[noreturn]] void refuseSyntax(const ColumnEvents& events, std::size_t position,
                               const Json::exception& error) {
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) refuse(events.here(), "the number is too large");
  refuse(byte(position), reason(error.what()));
}

// nlohmann's SAX interface, whose names it prescribes.
class Handler {
 public:
  explicit Handler(std::span<Column> columns) : events_(columns) {}
  const ColumnEvents& events() const { return events_; }

  bool null() { return events_.onNull(), true; }
  bool boolean(bool /*value*/) { return events_.onBoolean(), true; }
  bool number_integer(Json::number_integer_t value) { return events_.onInteger(value), true; }
  bool number_unsigned(Json::number_unsigned_t value) {
    if (value > static_cast<Json::number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return events_.onReal(static_cast<double>(value), std::to_string(value)), true;
    }
    return events_.onInteger(static_cast<std::int64_t>(value)), true;
  }
  bool number_float(Json::number_float_t value, const std::string& token) {
    return events_.onReal(value, token), true;
  }
  bool string(std::string& value) { return events_.onText(value), true; }
  bool binary(Json::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return events_.onObjectBegin(), true; }
  bool end_object() { return events_.onObjectEnd(), true; }
  bool start_array(std::size_t /*size*/) { return events_.onListBegin(), true; }
  bool end_array() { return events_.onListEnd(), true; }
  bool key(std::string& key) { return events_.onKey(key), true; }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    refuseSyntax(events_, position, error);
  }

 private:
  ColumnEvents events_;
};

// No column's, but it may be all that there is.
void visitScalar(ColumnEvents& events, const nlohmann::ordered_json& value) {
  if (value.is_null()) return events.onNull();
  if (value.is_boolean()) return events.onBoolean();
  if (value.is_string()) return events.onText({});
  events.onInteger({});
}

// The parser skips a byte order mark, takes a zero byte for the end, and asserts on a null pointer.
void checkBytes(std::string_view text) {
  if (text.empty()) refuse(byte(1), "not JSON: the file is empty");
  if (text.starts_with(kByteOrderMark)) refuse(byte(1), "not JSON: a byte order mark");
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) refuse(byte(zero + 1), "not JSON: a zero byte");
}

}  // namespace

void readColumns(std::string_view text, std::span<Column> columns) {
  checkBytes(text);
  Handler handler(columns);
  Json::sax_parse(text.begin(), text.end(), &handler);
  handler.events().finish();
}

nlohmann::ordered_json readTree(std::string_view text) {
  using Tree = nlohmann::ordered_json;
  checkBytes(text);
  ColumnEvents events({});
  const auto check = [&events](int /*depth*/, Tree::parse_event_t event, const Tree& value) {
    switch (event) {
      case Tree::parse_event_t::object_start:
        return events.onObjectBegin(), true;
      case Tree::parse_event_t::object_end:
        return events.onObjectEnd(), true;
      case Tree::parse_event_t::array_start:
        return events.onListBegin(), true;
      case Tree::parse_event_t::array_end:
        return events.onListEnd(), true;
      case Tree::parse_event_t::key:
        return events.onKey(value.get<std::string>()), true;
      case Tree::parse_event_t::value:
        return visitScalar(events, value), true;
    }
    return true;
  };
  try {
    return Tree::parse(text.begin(), text.end(), check);
  } catch (const Tree::parse_error& error) {
    refuseSyntax(events, error.byte, error);
  } catch (const Tree::out_of_range& error) {
    refuseSyntax(events, 0, error);
  }
}

}  // namespace tilebeam::json

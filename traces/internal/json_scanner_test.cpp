#include "traces/internal/json_scanner.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace taintgraph::traces::internal {
namespace {

// A scanner over text, with a unit open from its start.
struct Scanning {
  explicit Scanning(const std::string& text) : input(text), window(input), scanner(window, problems) {
    window.begin_unit();
  }
  std::istringstream input;
  ProblemList problems;
  TextWindow window;
  JsonScanner scanner;
};

bool accepts(const std::string& text) {
  Scanning s(text);
  s.scanner.skip();
  return !s.scanner.failed() && s.scanner.at_end_of_input();
}

// An independent judge of what JSON is. One whose numbers are too large for a double does not count.
struct Judge : nlohmann::json_sax<nlohmann::json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    overflow = dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr;
    return false;
  }
  bool overflow = false;
};

TEST(JsonScanner, AgreesWithAnotherParser) {
  // A list, so that the other parser's leave to begin with a byte order mark does not matter.
  const std::string seed_text =
      "[{\"a\":[1,-2.5e+3,0,true,false,null],\"\\u00e9\\\"\\\\\\/"
      "\\b\\f\\n\\r\\t\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"
      "\\ud83d\\ude00\"},\r\n\t[],{},\"\", [ 12345678901234567890 , {\"b\":{}} ] ]";
  ASSERT_TRUE(accepts(seed_text));
  const std::string alphabet =
      "[]{},:\"\\ \n\r\t0123456789+-.eEtrufalsnbN/\xC3\xA9\xE2\x82\xAC\xED\xA0\x80\xF4\x90\xFF\x01\x7F";
  std::mt19937_64 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int accepted = 0;
  int rejected = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text = seed_text;
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(3));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), 1 + below(8)));
          break;
      }
    }
    text = "[" + text;
    if (below(8) != 0) text += "]";
    Judge judge;
    const bool expected = nlohmann::json::sax_parse(text, &judge);
    if (judge.overflow) continue;
    ASSERT_EQ(accepts(text), expected) << text;
    ++(expected ? accepted : rejected);
  }
  // The edits must try both sides.
  EXPECT_GT(accepted, 3000);
  EXPECT_GT(rejected, 3000);
}

std::string decoded(const std::string& text) {
  Scanning s(text);
  EXPECT_EQ(s.scanner.peek(), ValueKind::string);
  const std::string value(s.scanner.string());
  EXPECT_FALSE(s.scanner.failed());
  return value;
}

TEST(JsonScanner, DecodesStrings) {
  EXPECT_EQ(decoded("\"plain\""), "plain");
  EXPECT_EQ(decoded(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(decoded(R"("a\u0041\u00e9\u20ac\ud83d\ude00z")"), "aA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z");
  EXPECT_EQ(decoded("\"\xC3\xA9\\n\xE2\x82\xAC\""), "\xC3\xA9\n\xE2\x82\xAC");
  EXPECT_EQ(decoded(R"("\u0000")"), std::string(1, '\0'));
}

Number number_of(const std::string& text) {
  Scanning s(text);
  EXPECT_EQ(s.scanner.peek(), ValueKind::number);
  const Number number = s.scanner.number();
  EXPECT_FALSE(s.scanner.failed());
  return number;
}

TEST(JsonScanner, TellsNumbersApart) {
  EXPECT_EQ(number_of("0").kind, Number::Kind::whole);
  EXPECT_EQ(number_of("18446744073709551615").value, ~std::uint64_t{0});
  EXPECT_EQ(number_of("18446744073709551615").kind, Number::Kind::whole);
  EXPECT_EQ(number_of("18446744073709551616").kind, Number::Kind::too_large);
  EXPECT_EQ(number_of("18446744073709551620").kind, Number::Kind::too_large);
  EXPECT_EQ(number_of("99999999999999999999999").kind, Number::Kind::too_large);
  EXPECT_EQ(number_of("-1").kind, Number::Kind::negative);
  EXPECT_EQ(number_of("-0").kind, Number::Kind::negative);
  EXPECT_EQ(number_of("-99999999999999999999999").kind, Number::Kind::negative);
  EXPECT_EQ(number_of("1.0").kind, Number::Kind::fraction);
  EXPECT_EQ(number_of("-1e2").kind, Number::Kind::fraction);
  EXPECT_EQ(number_of(std::string(100000, '9')).kind, Number::Kind::too_large);
}

// A token may lie anywhere across the pieces in which a stream is read.
TEST(JsonScanner, TokensAcrossReads) {
  const std::string value = "{\"key\\u00e9\":[\"plain\xE2\x82\xAC text\",\"esc\\ud83d\\ude00\\n\",1234567,true,null]}";
  const std::size_t piece = 64U << 10;
  for (std::size_t split = 0; split <= value.size(); ++split) {
    Scanning s(std::string(piece - split, ' ') + value);
    JsonScanner& scanner = s.scanner;
    ASSERT_EQ(scanner.peek(), ValueKind::object);
    scanner.enter();
    ASSERT_TRUE(scanner.next_member());
    EXPECT_EQ(scanner.key(), "key\xC3\xA9");
    ASSERT_EQ(scanner.peek(), ValueKind::array);
    scanner.enter();
    ASSERT_TRUE(scanner.next_element());
    ASSERT_EQ(scanner.peek(), ValueKind::string);
    EXPECT_EQ(scanner.string(), "plain\xE2\x82\xAC text");
    ASSERT_TRUE(scanner.next_element());
    ASSERT_EQ(scanner.peek(), ValueKind::string);
    EXPECT_EQ(scanner.string(), "esc\xF0\x9F\x98\x80\n");
    ASSERT_TRUE(scanner.next_element());
    ASSERT_EQ(scanner.peek(), ValueKind::number);
    EXPECT_EQ(scanner.number().value, 1234567U);
    ASSERT_TRUE(scanner.next_element());
    ASSERT_EQ(scanner.peek(), ValueKind::boolean);
    scanner.literal();
    ASSERT_TRUE(scanner.next_element());
    ASSERT_EQ(scanner.peek(), ValueKind::null);
    scanner.literal();
    EXPECT_FALSE(scanner.next_element());
    EXPECT_FALSE(scanner.next_member());
    EXPECT_FALSE(scanner.failed());
    EXPECT_EQ(scanner.place().column, piece - split + value.size() + 1);
    EXPECT_TRUE(scanner.at_end_of_input());
  }
}

TEST(JsonScanner, AfterAFatalProblemNothingIsThere) {
  Scanning s("[1,x,[2]]");
  ASSERT_EQ(s.scanner.peek(), ValueKind::array);
  s.scanner.enter();
  ASSERT_TRUE(s.scanner.next_element());
  s.scanner.skip();
  ASSERT_TRUE(s.scanner.next_element());
  EXPECT_EQ(s.scanner.peek(), ValueKind::nothing);
  EXPECT_TRUE(s.scanner.failed());
  EXPECT_FALSE(s.scanner.next_element());
  EXPECT_FALSE(s.scanner.next_member());
  s.scanner.skip();
  EXPECT_EQ(s.problems.take().size(), 1U);
}

}  // namespace
}  // namespace taintgraph::traces::internal

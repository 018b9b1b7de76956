#include "viz/label.hpp"

#include <gtest/gtest.h>

namespace taintgraph::viz {
namespace {

TEST(Label, OrdinaryTextStaysAsItIs) { EXPECT_EQ(visible("weights/layer 3 – größe 重"), "weights/layer 3 – größe 重"); }

TEST(Label, WhatCannotBeSeenIsWrittenOut) {
  EXPECT_EQ(visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible(std::string("\x00\x1b\x7f", 3)), "\\x00\\x1b\\x7f");
  EXPECT_EQ(visible("\xC2\x85"), "\\u{85}");        // a control of Latin-1
  EXPECT_EQ(visible("\xE2\x80\xAE"), "\\u{202e}");  // turns the reading direction
  EXPECT_EQ(visible("\xEF\xBF\xBE"), "\\u{fffe}");  // no character; XML refuses it
  EXPECT_EQ(visible("\xEF\xBB\xBF"
                    "x"),
            "\\u{feff}x");
}

TEST(Label, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(visible("\xFF\xC0\x80"), "\\xff\\xc0\\x80");           // never a first byte; overlong
  EXPECT_EQ(visible("\xE0\x80\xAF"), "\\xe0\\x80\\xaf");           // overlong: a slash in three bytes
  EXPECT_EQ(visible("\xE2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(visible("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(visible("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(visible("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(Label, ShorteningCountsCharactersAndSaysSo) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde…");
  EXPECT_EQ(shorten("äöüäöüä", 6), "äöüäö…");
  EXPECT_EQ(label("ab\ncdefg", 5), "ab\\n…");
}

TEST(Label, XmlEscapesEverythingThatMeansSomething) {
  EXPECT_EQ(xml_escape("<a href=\"x\">&'\\n"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&#92;n");
}

TEST(Label, DotQuotingLeavesNothingToInterpret) {
  EXPECT_EQ(dot_quote("say \"hi\""), "\"say \\\"hi\\\"\"");
  EXPECT_EQ(dot_quote("\\N"), "\"\\\\N\"");
  EXPECT_EQ(dot_quote("&lt;"), "\"&amp;lt;\"");
}

TEST(Label, WidthGrowsWithTheText) {
  EXPECT_GT(text_width("mmmm", 11), text_width("iiii", 11));
  EXPECT_GT(text_width("name", 11, true), text_width("name", 11));
  EXPECT_GE(text_width("重重", 11), 22U);
  // Ten digits of 556 thousandths at 10 points are 55.6 points, with room for a wider font.
  EXPECT_GE(text_width("0123456789", 10), 56U);
  EXPECT_LE(text_width("0123456789", 10), 70U);
}

TEST(Label, CountsAndRangesInWords) {
  EXPECT_EQ(count_text(1, "failure", "failures"), "1 failure");
  EXPECT_EQ(count_text(0, "failure", "failures"), "0 failures");
  EXPECT_EQ(range_text(0, 18446744073709551615U), "[0, 18446744073709551615)");
}

}  // namespace
}  // namespace taintgraph::viz

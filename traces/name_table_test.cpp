#include "traces/name_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace taintgraph::traces {
namespace {

TEST(NameTable, EachTextOnce) {
  NameTable names;
  EXPECT_EQ(names.find("a"), std::nullopt);
  EXPECT_EQ(names.intern("a"), NameId{0});
  EXPECT_EQ(names.intern(""), NameId{1});
  EXPECT_EQ(names.intern("a"), NameId{0});
  EXPECT_EQ(names.find(""), NameId{1});
  EXPECT_EQ(names.find("b"), std::nullopt);
  EXPECT_EQ(names.text(NameId{0}), "a");
  EXPECT_EQ(names.size(), 2U);
}

TEST(NameTable, ManyTexts) {
  NameTable names;
  const std::string& first = names.text(names.intern("name 0"));
  for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(names.intern("name " + std::to_string(i)), NameId{i});
  for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(names.find("name " + std::to_string(i)), NameId{i});
  EXPECT_EQ(names.find("name 100000"), std::nullopt);
  EXPECT_EQ(&first, &names.text(NameId{0}));  // texts stay where they are
}

TEST(NameTable, CopiesAreApart) {
  NameTable names;
  (void)names.intern("a");
  NameTable copy = names;
  EXPECT_EQ(copy.intern("b"), NameId{1});
  EXPECT_EQ(names.intern("c"), NameId{1});
  EXPECT_EQ(copy.text(NameId{1}), "b");
  const NameTable moved = std::move(copy);
  EXPECT_EQ(moved.find("a"), NameId{0});
  EXPECT_EQ(moved.size(), 2U);
}

}  // namespace
}  // namespace taintgraph::traces

// The colours of pictures and pages. Failures take turns in a palette that people with any kind of colour blindness can
// tell apart (Okabe and Ito's); a colour only ever repeats what a label says. Text on each has a contrast of 4.5 to 1.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace taintgraph::viz {

struct FailureColour {
  std::string_view strong;  // header of the failure, its arrows and borders
  std::string_view on_strong;
  std::string_view tint;  // bytes that it claims, under kInk
};

inline constexpr std::array<FailureColour, 6> kFailureColours = {{{"#D55E00", "#000000", "#FBE0D0"},
                                                                  {"#0072B2", "#FFFFFF", "#CFE5F3"},
                                                                  {"#009E73", "#000000", "#CCEBE2"},
                                                                  {"#CC79A7", "#000000", "#F5E3ED"},
                                                                  {"#E69F00", "#000000", "#FBEACB"},
                                                                  {"#56B4E9", "#000000", "#DCF0FB"}}};

inline constexpr std::string_view kPaper = "#FFFFFF";
inline constexpr std::string_view kInk = "#1A1A1A";
inline constexpr std::string_view kQuietInk = "#595959";
inline constexpr std::string_view kTrusted = "#F4F4F4";
inline constexpr std::string_view kSkipped = "#E3E3E3";
inline constexpr std::string_view kBorder = "#8A8A8A";
// A failure that the snapshot does not hold.
inline constexpr FailureColour kNoFailure = {"#595959", "#FFFFFF", "#E3E3E3"};

// By position in the snapshot.
[[nodiscard]] constexpr const FailureColour& failure_colour(std::size_t failure) {
  return failure == static_cast<std::size_t>(-1) ? kNoFailure : kFailureColours[failure % kFailureColours.size()];
}

}  // namespace taintgraph::viz

#include "props/profile.hpp"

namespace taintgraph::props {
namespace {

using traces::OpKind;

// Ways of spending a case.
enum class Theme : std::uint8_t {
  mixed,
  chains,
  fragments,
  churn,
  streams,
  reservations,
  wide,
  moves,
  captures,
  losses,
  hangs
};
constexpr std::uint64_t kThemeCount = 11;

std::uint16_t& weight(Profile& profile, OpKind kind) { return profile.operations[static_cast<std::size_t>(kind)]; }
std::uint16_t& weight(Profile& profile, Shape shape) { return profile.shapes[static_cast<std::size_t>(shape)]; }

void even_weights(Profile& profile) {
  weight(profile, OpKind::alloc) = 12;
  weight(profile, OpKind::free) = 6;
  weight(profile, OpKind::write) = 14;
  weight(profile, OpKind::launch) = 30;
  weight(profile, OpKind::copy) = 10;
  weight(profile, OpKind::read) = 16;
  weight(profile, OpKind::sync) = 4;
  weight(profile, OpKind::wait) = 3;
  weight(profile, OpKind::trust) = 2;
  weight(profile, OpKind::cleanup) = 3;
  weight(profile, OpKind::relocate) = 3;
  weight(profile, OpKind::capture_begin) = 2;
  weight(profile, OpKind::capture_end) = 1;
  weight(profile, OpKind::replay) = 3;
  weight(profile, OpKind::destroy) = 1;
  profile.shapes = {8, 8, 10, 8, 6, 5, 4, 4, 5};
}

void apply(Theme theme, Profile& profile) {
  switch (theme) {
    case Theme::mixed:
      break;
    case Theme::chains:  // a failure handed on from buffer to buffer
      profile.sizes = SizeRegime::uniform;
      profile.slots = kMaxSlots;
      profile.whole_percent = 75;
      profile.chain_percent = 80;
      weight(profile, OpKind::write) = 4;
      weight(profile, OpKind::copy) = 20;
      weight(profile, Shape::copy) = 20;
      weight(profile, Shape::fill) = 3;
      weight(profile, Shape::iota) = 3;
      break;
    case Theme::fragments:  // claims cut and joined inside few buffers
      profile.slots = 2;
      profile.whole_percent = 10;
      weight(profile, OpKind::free) = 2;
      weight(profile, OpKind::write) = 30;
      weight(profile, OpKind::trust) = 6;
      weight(profile, Shape::fill) = 25;
      weight(profile, Shape::iota) = 25;
      break;
    case Theme::churn:  // memory handed back and out again
      profile.slots = kMaxSlots;
      weight(profile, OpKind::alloc) = 30;
      weight(profile, OpKind::free) = 24;
      weight(profile, OpKind::cleanup) = 8;
      break;
    case Theme::streams:  // the same bytes from many streams, little waiting
      profile.device.streams = 4;
      profile.slots = 3;
      profile.stream_switch_one_in = 1;
      weight(profile, OpKind::sync) = 1;
      weight(profile, OpKind::wait) = 6;
      weight(profile, OpKind::read) = 8;
      weight(profile, OpKind::free) = 10;
      break;
    case Theme::reservations:  // buffers that were never had, used all the same
      weight(profile, OpKind::alloc) = 30;
      weight(profile, OpKind::free) = 12;
      profile.faults = {8, 2, 10};
      break;
    case Theme::wide:  // launches of very many ranges
      profile.sizes = SizeRegime::large;
      profile.slots = 3;
      profile.wide_one_in = 2;
      profile.stream_switch_one_in = 4;
      weight(profile, OpKind::launch) = 50;
      break;
    case Theme::moves:  // claims carried along, and the old memory given to others
      profile.stream_switch_one_in = 1;
      profile.faults = {8, 3, 8};
      weight(profile, OpKind::relocate) = 30;
      break;
    case Theme::captures:  // graphs, replayed again and again as claims come and go
      profile.slots = 4;
      profile.chain_percent = 60;
      weight(profile, OpKind::free) = 3;
      weight(profile, OpKind::capture_begin) = 10;
      weight(profile, OpKind::capture_end) = 3;
      weight(profile, OpKind::replay) = 30;
      weight(profile, OpKind::destroy) = 4;
      break;
    case Theme::losses:  // the device lost and started again, over and over
      profile.losses = {
          .one_in = 6, .kernel_one_in = 10, .for_good_one_in = 2, .async_percent = 80, .late_percent = 40};
      weight(profile, OpKind::capture_begin) = 5;
      weight(profile, OpKind::replay) = 12;
      weight(profile, OpKind::reset) = 4;  // now and then too early, or what came back as too late
      break;
    case Theme::hangs:  // work that never ends, other work beside and behind it, and losses that end it
      profile.device.streams = 4;
      profile.stream_switch_one_in = 1;
      profile.hangs = {.spin_one_in = 12, .deadline_percent = 50};
      profile.losses = {.one_in = 16, .kernel_one_in = 16, .for_good_one_in = 8, .async_percent = 50};
      weight(profile, OpKind::sync) = 14;
      weight(profile, OpKind::wait) = 6;
      weight(profile, OpKind::capture_begin) = 5;
      weight(profile, OpKind::replay) = 8;
      break;
  }
}

void draw_device(Random& random, Profile& profile) {
  traces::DeviceConfig& device = profile.device;
  device.streams = static_cast<std::uint32_t>(random.between(1, 4));
  constexpr std::uint64_t kAlignments[] = {16, 32, 32, 32, 64, 256};
  device.alignment_bytes = random.pick<std::uint64_t>(kAlignments);
  device.pool = random.one_in(6) ? traces::PoolKind::exclusive : traces::PoolKind::sliced;
  // Small pages, so that a few buffers already split them, coalesce them and need another.
  constexpr std::uint64_t kPages[] = {256, 512, 1024, 4096};
  if (device.pool == traces::PoolKind::sliced && !random.one_in(4)) {
    device.page_bytes = random.pick<std::uint64_t>(kPages);
  }
  if (random.one_in(5)) device.allocator = traces::Allocator::stream_ordered;
  device.init = random.one_in(6) ? traces::InitialState::unwritten : traces::InitialState::trusted;
}

FaultWeather draw_weather(Random& random) {
  switch (random.below(5)) {
    case 0:
      return {};  // nothing fails
    case 1:
      return {12, 0, 0};
    case 2:
      return {5, 0, 0};
    case 3:
      return {0, 2, static_cast<std::uint32_t>(random.between(4, 12))};
    default:
      return {30, 3, static_cast<std::uint32_t>(random.between(6, 20))};
  }
}

}  // namespace

Profile draw_profile(Random& random) {
  Profile profile;
  draw_device(random, profile);
  profile.slots = static_cast<std::uint32_t>(random.between(2, kMaxSlots));
  constexpr SizeRegime kRegimes[] = {SizeRegime::uniform, SizeRegime::tiny,  SizeRegime::small,
                                     SizeRegime::small,   SizeRegime::large, SizeRegime::mixed};
  profile.sizes = random.pick<SizeRegime>(kRegimes);
  profile.uniform_size = random.between(1, 32);
  profile.stream_switch_one_in = static_cast<std::uint32_t>(random.between(1, 6));
  profile.faults = draw_weather(random);
  if (random.one_in(3)) profile.planned_faults = static_cast<std::uint32_t>(random.between(1, 4));
  even_weights(profile);
  apply(static_cast<Theme>(random.below(kThemeCount)), profile);
  if (profile.losses.one_in == 0 && random.one_in(8)) {
    profile.losses = {.one_in = 80, .kernel_one_in = 60, .for_good_one_in = 6, .late_percent = 20};
  }
  if (profile.hangs.spin_one_in == 0 && random.one_in(16)) profile.hangs.spin_one_in = 40;
  if (profile.losses.one_in != 0 && random.one_in(3)) profile.device.surfacing = traces::Surfacing::documented;
  return profile;
}

}  // namespace taintgraph::props

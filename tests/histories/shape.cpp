#include "shape.h"

#include <fmt/format.h>

#include <cstddef>

#include "chance.h"

namespace fmd::histories {

const char* source_name(Source source) {
  switch (source) {
    case Source::zfs:
      return "zfs";
    case Source::disk:
      return "disk";
    case Source::enclosure:
      return "enclosure";
    case Source::smart:
      return "smart";
  }
  return "";
}

int Shape::slots() const {
  int sum = 0;
  for (const PoolShape& pool : pools)
    for (const TopShape& top : pool.tops) sum += top.slots;
  return sum;
}

int Shape::spares() const {
  int sum = 0;
  for (const PoolShape& pool : pools) sum += pool.spares;
  return sum;
}

int Shape::disks() const {
  return slots() + spares() + blank_disks + used_disks + small_disks;
}

int Shape::bays() const {
  return slots() + spares() + empty_bays;
}

namespace {

TopShape draw_top(Chance& chance) {
  using Type = TopShape::Type;
  const Type type = chance.pick<Type>({{35, Type::mirror}, {60, Type::raidz}, {5, Type::single}});
  if (type == Type::single) return {type, 0, 1};
  if (type == Type::mirror) return {type, 0, chance.percent(75) ? 2 : 3};
  const int parity = chance.pick<int>({{30, 1}, {35, 2}, {35, 3}});
  return {type, parity, parity + chance.between(1, 3)};
}

PoolShape draw_pool(Chance& chance) {
  PoolShape pool;
  const int tops = chance.percent(85) ? 1 : 2;
  for (int i = 0; i < tops; ++i) pool.tops.push_back(draw_top(chance));
  pool.spares = chance.pick<int>({{35, 0}, {40, 1}, {25, 2}});
  pool.resilver_s = chance.pick<int>({{40, 5}, {40, 60}, {20, 1200}});
  return pool;
}

}  // namespace

std::string words(const Shape& shape) {
  std::string out;
  int disk = 0;
  for (const PoolShape& pool : shape.pools) {
    out += fmt::format("{}pool {}:", out.empty() ? "" : "; ", &pool - shape.pools.data());
    for (const TopShape& top : pool.tops) {
      out += top.type == TopShape::Type::mirror  ? " mirror"
             : top.type == TopShape::Type::raidz ? fmt::format(" raidz{}", top.parity)
                                                 : " single";
      for (int i = 0; i < top.slots; ++i) out += fmt::format(" S{:03}", disk++);
    }
    if (pool.spares > 0) out += ", spares";
    for (int i = 0; i < pool.spares; ++i) out += fmt::format(" S{:03}", disk++);
    out += fmt::format(", resilvers in {} s", pool.resilver_s);
  }
  out += fmt::format("; max_retired {}", shape.max_retired);
  for (std::size_t i = 0; i < kSources; ++i) {
    if (shape.late_ms[i] > 100)
      out += fmt::format(", {} {} ms late", source_name(static_cast<Source>(i)), shape.late_ms[i]);
    if (shape.lag_ms[i] > 100)
      out += fmt::format(", {} lags {} ms", source_name(static_cast<Source>(i)), shape.lag_ms[i]);
  }
  for (std::size_t i = 0; i < shape.bay_known.size(); ++i) {
    if (!shape.bay_known[i]) out += fmt::format(", bay {} is unknown", i);
    if (shape.leds[i] != LedShape::works) out += fmt::format(", bay {} has no LED that works", i);
  }
  if (!shape.kernel_unspares) out += ", the kernel keeps spares in";
  if (!shape.auto_replace) out += ", auto_replace off";
  return out;
}

Shape draw_shape(uint64_t seed) {
  Chance chance(seed);
  Shape shape;
  const int pools = chance.pick<int>({{75, 1}, {20, 2}, {5, 3}});
  for (int i = 0; i < pools; ++i) shape.pools.push_back(draw_pool(chance));
  shape.empty_bays = chance.between(0, 2);
  for (int i = 0; i < shape.bays(); ++i) {
    shape.bay_known.push_back(!chance.percent(10));
    shape.leds.push_back(chance.pick<LedShape>(
        {{85, LedShape::works}, {8, LedShape::none}, {7, LedShape::cannot_drive}}));
  }
  const bool in_step = chance.percent(50);
  for (std::size_t i = 0; i < kSources; ++i) {
    shape.late_ms[i] =
        in_step ? 100 : chance.pick<int>({{50, 100}, {30, 2000}, {15, 20000}, {5, 120000}});
    shape.lag_ms[i] = chance.pick<int>({{60, 100}, {25, 1000}, {15, 4000}});
  }
  shape.kernel_unspares = chance.percent(60);
  shape.zed = chance.percent(50);
  shape.max_retired = chance.pick<int>({{70, 2}, {30, 1}});
  shape.auto_replace = !chance.percent(10);
  return shape;
}

std::vector<Shape> simpler(const Shape& shape) {
  std::vector<Shape> out;
  const auto with = [&](auto change) {
    Shape s = shape;
    change(s);
    out.push_back(std::move(s));
  };
  with([](Shape& s) { s.late_ms = {100, 100, 100, 100}; });
  with([](Shape& s) { s.lag_ms = {100, 100, 100, 100}; });
  for (std::size_t i = 0; i < kSources; ++i) {
    if (shape.late_ms[i] != 100) with([&](Shape& s) { s.late_ms[i] = 100; });
    if (shape.lag_ms[i] != 100) with([&](Shape& s) { s.lag_ms[i] = 100; });
  }
  with([](Shape& s) { s.bay_known.assign(s.bay_known.size(), true); });
  with([](Shape& s) { s.leds.assign(s.leds.size(), LedShape::works); });
  if (shape.zed) with([](Shape& s) { s.zed = false; });
  if (!shape.kernel_unspares) with([](Shape& s) { s.kernel_unspares = true; });
  if (!shape.auto_replace) with([](Shape& s) { s.auto_replace = true; });
  if (shape.max_retired != 2) with([](Shape& s) { s.max_retired = 2; });
  for (std::size_t i = 0; i < shape.pools.size(); ++i)
    if (shape.pools[i].resilver_s != 5) with([&](Shape& s) { s.pools[i].resilver_s = 5; });
  return out;
}

}  // namespace fmd::histories

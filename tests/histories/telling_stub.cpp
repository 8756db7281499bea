#include "fmd/notify/telling.h"
namespace fmd {
struct Telling::Impl { std::vector<CaseNews> news; };
Telling::Telling() : impl_(std::make_unique<Impl>()) {}
Telling::~Telling() = default;
void Telling::take(const CaseNews& news, const Case&, Moment) { impl_->news.push_back(news); }
void Telling::looked(const Case&, Moment) {}
std::vector<Tidings> Telling::due(const FindCase&, const Expected&, Moment) {
  std::vector<Tidings> out;
  for (auto& n : impl_->news) out.push_back({n, {}});
  impl_->news.clear();
  return out;
}
std::optional<int64_t> Telling::next_deadline_ns() const { return {}; }
void Telling::forget_case(std::string_view) {}
std::vector<StateRow> Telling::take_changes() { return {}; }
void Telling::mark_all_changed() {}
Result<void> Telling::restore(const std::vector<StateRow>&) { return {}; }
}

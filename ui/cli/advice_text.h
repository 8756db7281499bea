// Text of fmd's advice about a case (ui/client/advice.h): what to do first, then why. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "ui/cli/daemon.h"
#include "ui/client/advice.h"

namespace fmd::cli {

struct AdvisedCase {
  Case c;
  ui::Advice advice;
};

// A prefix of a case's id that fmadm accepts.
std::string short_id(std::string_view uuid);
// "Safe to pull: yes (spare SLOT 07 holds all its data)."; "" if the suspect cannot be pulled.
std::string safety_sentence(const ui::Advice& advice);
// Cases that need a person first, then by severity, then by age.
bool is_more_urgent(const AdvisedCase& a, const AdvisedCase& b);
// By that, but disks of which only one may be pulled at a time stand in that order.
void sort_by_urgency(std::vector<AdvisedCase>& cases,
                     const std::vector<std::vector<std::string>>& pull_disks);

// Everything about a case that a person needs, what to do first.
std::string advice_text(const AdvisedCase& advised, const Surroundings& around);
// A line of `fmadm` for each case; up to `most` of them with a line about what to do.
std::string problem_lines(const std::vector<AdvisedCase>& cases, size_t most = 5);

}  // namespace fmd::cli

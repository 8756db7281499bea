// Templates: errors are found when they are read, not when a mail is due.
#include "plugins/mail/templates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fmd::mail {
namespace {

class TemplatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("fmd-mail.d-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  // "" if it is valid, otherwise the error without the directory.
  std::string said() {
    const auto loaded = Templates::load(folder_);
    if (loaded) return "";
    std::string text = loaded.error().text();
    const size_t at = text.find(folder_.string() + "/");
    return at == text.npos ? text : text.erase(at, folder_.string().size() + 1);
  }
  std::filesystem::path folder_;
};

TEST_F(TemplatesTest, FillsNamedPlaceholdersAndNothingElse) {
  EXPECT_EQ(filled("a ${host} $5 $$ ${none}.", {{"host", "${uuid} $$"}}), "a ${uuid} $$ $5 $ .");
  EXPECT_EQ(filled("$", {}), "$");
  EXPECT_EQ(filled("", {}), "");
}

TEST_F(TemplatesTest, WithoutAFolderTheShippedOnesHold) {
  const auto loaded = Templates::load("/nonexistent/mail.d");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->subject, "${subject}");
  EXPECT_NE(loaded->html.find("${style}"), std::string::npos);
  EXPECT_NE(loaded->html.find("${content}"), std::string::npos);
  EXPECT_EQ(said(), "") << "an empty folder neither";
}

TEST_F(TemplatesTest, EachPartStandsForItself) {
  write("subject.txt", "[${host}] ${title}\n");
  write(".subject.txt.swp", "${x}");
  write("body.txt~", "${x}");
  const auto loaded = Templates::load(folder_);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->subject, "[${host}] ${title}");
  EXPECT_EQ(loaded->body, "${body}");
}

TEST_F(TemplatesTest, AMistakeIsNamedWithItsLine) {
  write("body.txt", "fine ${host}\n\n${serail}\n");
  EXPECT_EQ(said(), "body.txt:3: unknown placeholder ${serail}, did you mean ${serial}?");
  write("body.txt", "${content}\n");
  EXPECT_TRUE(said().starts_with("body.txt:1: unknown placeholder ${content}")) << said();
  write("body.txt", "a\n${host\n");
  EXPECT_EQ(said(), "body.txt:2: a placeholder is written ${name}; $$ is a dollar");
  write("body.txt", "\xff");
  EXPECT_EQ(said(), "body.txt: is not plain text in UTF-8");
  write("body.txt", std::string(300000, 'x'));
  EXPECT_EQ(said(), "body.txt: is over 256 KiB");
  write("body.txt", "");
  write("subject.txt", "two\nlines\n");
  EXPECT_EQ(said(), "subject.txt:2: a subject is one line");
  write("subject.txt", "");
  write("boddy.html", "");
  EXPECT_TRUE(said().starts_with("boddy.html: is no template")) << said();
}

}  // namespace
}  // namespace fmd::mail

// redfish.toml and the password file.
#include "plugins/redfish/options.h"

#include "plugins/sdk/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fmd::redfish {
namespace {

class RedfishOptions : public ::testing::Test {
 protected:
  RedfishOptions() {
    std::string made = (std::filesystem::temp_directory_path() / "fmd-redfish-XXXXXX").string();
    folder_ = mkdtemp(made.data());
    write("password", "secret\n", 0600);
  }
  ~RedfishOptions() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text, mode_t mode) {
    const std::string file = folder_ + "/" + name;
    std::ofstream(file) << text;
    chmod(file.c_str(), mode);
    return file;
  }
  std::string wrong(const std::string& text) {
    const auto options = load_options(write("redfish.toml", text, 0644));
    return options ? "" : options.error().text();
  }
  std::string good() const {
    return "service = \"https://192.0.2.7/\"\nuser = \"fmd\"\npassword_file = \"" + folder_ +
           "/password\"\n";
  }
  std::string folder_;
};

TEST_F(RedfishOptions, Good) {
  const auto options = load_options(write("redfish.toml", good(), 0644));
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->service, "https://192.0.2.7");
  EXPECT_EQ(options->interval, std::chrono::seconds(60));
  EXPECT_EQ(sdk::read_secret(options->password_file).value_or(""), "secret");
  EXPECT_TRUE(load_options(""));
}

TEST_F(RedfishOptions, APasswordThatOthersMayRead) {
  write("password", "secret\n", 0604);
  EXPECT_NE(wrong(good()).find("can be read by other users"), std::string::npos);
}

TEST_F(RedfishOptions, WhatIsWrong) {
  EXPECT_NE(wrong("service = \"http://192.0.2.7\"\n").find("must be https://HOST"),
            std::string::npos);
  EXPECT_NE(wrong("service = \"https://a/redfish/v1\"\n").find("must be https://HOST"),
            std::string::npos);
  EXPECT_NE(wrong("service = \"https://192.0.2.7\"\n").find("user"), std::string::npos);
  EXPECT_NE(wrong(good() + "ca_file = \"/no/such\"\n").find("ca_file"), std::string::npos);
  EXPECT_NE(wrong(good() + "public_key = \"abc\"\n").find("sha256//"), std::string::npos);
  EXPECT_NE(wrong(good() + "intervall = \"1s\"\n").find("interval"), std::string::npos);
}

}  // namespace
}  // namespace fmd::redfish

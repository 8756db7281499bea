// Body: the content of a message, section by section: plain text in lines of at most 78 columns,
// and a document for notifiers with richer formats (fmd-mail: HTML). Text from devices or people
// passes through display(). Pure.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fmd {

struct BodyText {
  std::string plain;
  std::string sections;  // JSON, schemas/plugin-protocol.md § deliver args, "sections"
};

class Body {
 public:
  Body();
  ~Body();
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  void lead(std::string_view text);  // the first words: what to do
  void line(std::string_view text, size_t indent = 0);
  void blank() { plain_ += "\n"; }
  void rule();  // the rest is for readers who want to know more
  void heading(std::string_view title);
  // A heading with one paragraph; nothing if the text is empty.
  void section(std::string_view title, std::string_view text);
  void paragraph(std::string_view text, size_t indent = 0);
  void field(std::string_view name, std::string_view value);  // skips empty values
  void items(const std::vector<std::string>& sentences);      // already passed through display()
  void item(std::string_view sentence, size_t indent = 4, std::string_view bullet = "  -");
  void command(std::string_view text);
  void entry(int64_t time_ns, std::string_view text);
  BodyText take();

 private:
  void begin(std::string_view title);
  void put(const char* kind, nlohmann::json what);

  std::string plain_;
  std::unique_ptr<nlohmann::json> sections_;  // an array
};

}  // namespace fmd

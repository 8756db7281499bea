#include "plugins/mail/letter.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "plugins/mail/html.h"
#include "plugins/mail/mime.h"
#include "plugins/sdk/notice.h"

namespace fmd::mail {
namespace {

constexpr size_t kLongestLine = 10000;  // characters per line of the body

std::string mailbox(const Address& address, size_t used) {
  if (address.name.empty()) return address.mailbox;
  // Always encoded, so that no character of a name has a special meaning.
  return encoded_words(address.name, used) + std::string(kFold) + "<" + address.mailbox + ">";
}

std::string recipients(const std::vector<Address>& to) {
  std::string out;
  for (const Address& address : to)
    out += (out.empty() ? "" : "," + std::string(kFold)) + mailbox(address, 4);
  return out;
}

// The host in identifiers: the notice's if it is a plain name.
std::string plain_host(std::string_view host, const std::string& otherwise) {
  const bool plain =
      !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
        return isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
      });
  return plain && host.front() != '.' && host.back() != '.' && host.find("..") == host.npos
             ? std::string(host)
             : otherwise;
}

std::string body_text(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    const size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += display(line, kLongestLine) + "\n";
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

bool is_over(const sdk::Notice& notice) {
  return notice.event == "resolved" || notice.event == "repaired";
}

// "Major", "Resolved"
std::string state_of(const sdk::Notice& notice) {
  if (notice.event == "resolved") return "Resolved";
  if (notice.event == "repaired") return "Repaired";
  if (notice.is_happening()) return "Event";
  const std::string severity = notice.of_case("severity");
  return severity.empty() ? notice.event : severity;
}

std::string tone_of(const sdk::Notice& notice) {
  if (is_over(notice)) return "over";
  if (notice.is_happening()) return notice.of_happening("severity") == "Minor" ? "over" : "minor";
  const std::string severity = notice.of_case("severity");
  if (severity == "Critical") return "critical";
  return severity == "Major" ? "major" : "minor";
}

Values plain_values(const sdk::Notice& notice) {
  Values values = {{"subject", notice.subject.empty() ? "[fmd] " + notice.event : notice.subject},
                   {"host", notice.host},
                   {"event", notice.event},
                   {"time", date(notice.time_ns)}};
  for (const char* name : {"severity", "code", "uuid", "title", "description", "impact"})
    values[name] = notice.of_case(name);
  values["action"] = notice.of_say("do_now");
  values["response"] = notice.of_say("done");
  for (const char* name : {"class", "serial", "model"}) values[name] = notice.of_suspect(name);
  values["bay"] = notice.of_suspect("location");
  if (notice.is_happening()) {
    for (const char* name : {"severity", "uuid", "serial", "model"})
      values[name] = notice.of_happening(name);
    values["class"] = "happening." + notice.event;
    values["bay"] = notice.of_happening("location");
  }
  for (auto& [name, value] : values) value = display(value, kLongestLine);
  values["body"] = body_text(notice.body);
  return values;
}

std::string picture_html(const std::string& cid, const Picture& picture) {
  return "<div class=\"picture\"><img src=\"cid:" + cid + "\" alt=\"" + escaped_html(picture.alt) +
         "\" width=\"" + std::to_string(picture.width) + "\"></div>\n";
}

std::string html_text(const sdk::Notice& notice, const Options& options, const Picture* picture,
                      const std::string& cid) {
  Values values = plain_values(notice);
  for (auto& [name, value] : values)
    if (name != "body") value = escaped_html(value);
  values["body"] = "<pre>" + escaped_html_lines(notice.body) + "</pre>";
  const std::string image = picture ? picture_html(cid, *picture) : std::string();
  const bool apart = options.templates.html.find("${picture}") != std::string::npos;
  values["picture"] = image;
  values["content"] = html_of(notice.sections, apart ? std::string() : image);
  values["style"] = html_style();
  values["state"] = escaped_html(state_of(notice));
  values["tone"] = tone_of(notice);
  return filled(options.templates.html, values);
}

std::string picture_part(const std::string& cid, const Picture& picture) {
  return "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <" + cid +
         ">\r\nContent-Disposition: inline; filename=\"chassis.png\"\r\n\r\n" +
         base64_lines(picture.png);
}

// Text, and HTML with the picture. A message without sections (a test) is text only.
std::string body_of(const sdk::Notice& notice, const Options& options, const Picture* picture,
                    const std::string& host) {
  const std::string text = filled(options.templates.body, plain_values(notice));
  if (!notice.sections.is_array() || notice.sections.empty()) {
    const bool as_is = may_go_unencoded(text);
    if (!as_is) return text_part("text/plain", text);
    return "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\n" +
           with_crlf(text);
  }
  std::string cid = message_id("chassis:" + notice.key, host);
  cid = cid.substr(1, cid.size() - 2);
  const std::string html = text_part("text/html", html_text(notice, options, picture, cid));
  return multipart(
      "alternative", "",
      {text_part("text/plain", text),
       picture ? multipart("related", "; type=\"text/html\"", {html, picture_part(cid, *picture)})
               : html});
}

}  // namespace

std::string compose(const sdk::Notice& notice, const Options& options, const Picture* picture) {
  const std::string host = plain_host(notice.host, options.host);
  const Values values = plain_values(notice);
  const std::string& uuid = values.at("uuid");
  std::string out;
  out += "Date: " + date(notice.time_ns) + "\r\n";
  out += "From: " + mailbox(options.from, 6) + "\r\n";
  out += "To: " + recipients(options.to) + "\r\n";
  out += header_line("Subject", filled(options.templates.subject, values));
  out += "Message-ID: " + message_id(notice.key, host) + "\r\n";
  // Mail readers show the mails of one case as a thread.
  if (!uuid.empty()) out += "References: " + message_id(uuid, host) + "\r\n";
  out += "Auto-Submitted: auto-generated\r\n";
  out += header_line("X-FMEV-HOSTNAME", notice.host);
  out += header_line("X-FMEV-CLASS", values.at("class"));
  out += header_line("X-FMEV-UUID", uuid);
  out += header_line("X-FMEV-CODE", notice.of_case("code"));
  out += header_line("X-FMEV-SEVERITY", values.at("severity"));
  out += header_line("X-FMEV-EVENT", notice.event);
  out += "MIME-Version: 1.0\r\n";
  return out + body_of(notice, options, picture, host);
}

}  // namespace fmd::mail

// sendmail(8): the interface that every mail system on Linux provides.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fmd/base/text.h"
#include "plugins/mail/sender.h"

namespace fmd::mail {
namespace {

constexpr int kExecFailed = 127;

// sendmail(8) expects lines that end with \n.
std::string with_newlines(std::string_view message) {
  std::string out;
  for (const char c : message)
    if (c != '\r') out += c;
  return out;
}

// In the child: executes the program with the message as its input. Returns only on an error.
std::string become(const std::vector<std::string>& argv, const std::string& input) {
  const int memory = memfd_create("mail", 0);
  size_t done = 0;
  while (memory >= 0 && done < input.size()) {
    const ssize_t n = write(memory, input.data() + done, input.size() - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  if (memory >= 0 && done == input.size() && lseek(memory, 0, SEEK_SET) == 0 &&
      dup2(memory, 0) == 0) {
    dup2(kOutput, 1);
    if (memory > kOutput) close(memory);
    close(kOutput);
    std::vector<char*> pointers;
    for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
  }
  dprintf(2, "%s\n", strerror(errno));
  _exit(kExecFailed);
}

class SendmailSender final : public Sender {
 public:
  SendmailSender(sdk::Host& host, Options options) : host_(host), options_(std::move(options)) {}

  void send(const std::string& message, const std::vector<std::string>& mailboxes,
            std::chrono::milliseconds within, std::function<void(Outcome)> done) override {
    // -i: a line with a single dot does not end the mail. --: no address is taken as an option
    // (addresses cannot begin with "-" either).
    std::vector<std::string> argv = {options_.sendmail, "-i", "-f", options_.from.mailbox, "--"};
    argv.insert(argv.end(), mailboxes.begin(), mailboxes.end());
    host_.run_apart([argv, input = with_newlines(message)] { return become(argv, input); }, within,
                    [mailboxes, done = std::move(done),
                     name = options_.sendmail](const sdk::CommandOutput& output) {
                      Outcome outcome;
                      outcome.taken = output.ok();
                      if (outcome.taken)
                        outcome.accepted = mailboxes;
                      else
                        outcome.reason = output.explain(display(name));
                      done(std::move(outcome));
                    });
  }

 private:
  sdk::Host& host_;
  Options options_;
};

}  // namespace

std::unique_ptr<Sender> make_sendmail_sender(sdk::Host& host, const Options& options) {
  return std::make_unique<SendmailSender>(host, options);
}

}  // namespace fmd::mail

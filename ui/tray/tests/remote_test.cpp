// Another host over ssh: the real ssh, a real sshd on loopback with its own keys, a bridge to a
// bus.
#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTimer>
#include <list>

#include "ui/tray/tests/desktop.h"

namespace fmd::tray {
namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";

// Starts an sshd for each connection, like inetd: no free port to guess, no daemon left behind.
class SshServer : public QTcpServer {
 public:
  explicit SshServer(QString config) : config_(std::move(config)) {}
  ~SshServer() override {
    signal_all(SIGCONT);
    signal_all(SIGKILL);
    for (QProcess& one : serving) one.waitForFinished();
  }
  // Includes child processes: which of them has the connection differs among OpenSSH's releases.
  void signal_all(int what) {
    for (QProcess& one : serving)
      if (one.state() == QProcess::Running) kill(-static_cast<pid_t>(one.processId()), what);
  }
  std::list<QProcess> serving;

 protected:
  void incomingConnection(qintptr fd) override {
    QProcess& sshd = serving.emplace_back();
    sshd.setStandardErrorFile(config_ + ".log", QIODevice::Append);
    sshd.setChildProcessModifier([fd] {
      setpgid(0, 0);
      dup2(static_cast<int>(fd), STDIN_FILENO);
      dup2(static_cast<int>(fd), STDOUT_FILENO);
    });
    sshd.start(kSshd, {"-i", "-e", "-f", config_});
    sshd.waitForStarted();
    ::close(static_cast<int>(fd));
  }

 private:
  const QString config_;
};

class Remote : public Desktop {
 protected:
  void SetUp() override {
    Desktop::SetUp();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(QFile::exists(kSshd));
    if (geteuid() == 0) QDir().mkpath("/run/sshd");  // required by sshd as root
    for (const char* key : {"host", "user"})
      ASSERT_EQ(QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", at(key)}),
                0);
    write("sshd_config",
          "HostKey " + at("host") + "\nAuthorizedKeysFile " + at("user.pub") +
              "\nStrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin prohibit-password\n"
              "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
              "ForceCommand systemd-stdio-bridge --bus-path='" +
              address_ + "'\n");
    server_ = std::make_unique<SshServer>(at("sshd_config"));
    ASSERT_TRUE(server_->listen(QHostAddress::LocalHost));
    write("ssh_config",
          QString("Host store9\nHostName 127.0.0.1\nPort %1\nIdentityFile %2\nIdentitiesOnly yes\n"
                  "UserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\n"
                  "Host stranger\nHostName 127.0.0.1\nPort %1\nIdentityFile %3\n"
                  "IdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile /dev/null\n"
                  "StrictHostKeyChecking no\nLogLevel ERROR\n"
                  "Host unknown\nHostName 127.0.0.1\nPort %1\nIdentityFile %2\n"
                  "UserKnownHostsFile /dev/null\nStrictHostKeyChecking yes\n")
              .arg(server_->serverPort())
              .arg(at("user"), at("host")));
    // The client's library runs "ssh": this one calls the real ssh with our configuration.
    ASSERT_TRUE(QDir(folder_.path()).mkdir("bin"));
    write("bin/ssh", "#!/bin/sh\necho \"$@\" >>'" + at("asked") + "'\nexec /usr/bin/ssh -F '" +
                         at("ssh_config") + "' \"$@\"\n");
    QFile(at("bin/ssh")).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    path_ = qgetenv("PATH");
    qputenv("PATH", (at("bin") + ":").toUtf8() + path_);
    remote_ = hosts_->add_remote("store9");
    ASSERT_NE(remote_, nullptr);
    ASSERT_TRUE(until([&] { return remote_->connected(); }))
        << remote_->trouble().toStdString() << log().toStdString();
  }
  void TearDown() override {
    if (server_) server_->signal_all(SIGCONT);
    Desktop::TearDown();
    server_.reset();
    if (!path_.isEmpty()) qputenv("PATH", path_);
  }
  QString at(const QString& name) const { return folder_.filePath(name); }
  void write(const QString& name, const QString& text) const {
    QFile file(at(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
  }
  QByteArray log() const {
    QFile file(at("sshd_config.log"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QTemporaryDir folder_;
  std::unique_ptr<SshServer> server_;
  QByteArray path_;
  Session* remote_ = nullptr;
};

TEST_F(Remote, AHostIsShownOverSshAndFoundAgainWhenTheLineWasCut) {
  EXPECT_EQ(remote_->snapshot()->cases.size(), 2u);
  EXPECT_EQ(remote_->name(), "store1") << "what it calls itself";
  order({{"case", open_case(1, "Critical", "Disk fails")}, {"event", "diagnosed"}});
  EXPECT_TRUE(until([&] { return remote_->snapshot()->cases.size() == 3; }))
      << "news come by themselves";
  server_->signal_all(SIGKILL);
  ASSERT_TRUE(until([&] { return !remote_->connected(); }));
  EXPECT_EQ(remote_->snapshot()->cases.size(), 3u) << "what was known stays";
  EXPECT_TRUE(until([&] { return remote_->connected(); })) << log().toStdString();
  QSignalSpy answered(remote_, &Session::answered);
  remote_->order("Locate", [](ui::Client& client) { return client.locate(bay(1), true); });
  ASSERT_TRUE(until([&] { return answered.count() == 1; }));
  EXPECT_TRUE(answered[0][1].toBool()) << answered[0][2].toString().toStdString();
}

// A refused login shows ssh's own reason.
TEST_F(Remote, WhySshDoesNotLetUsInIsSaid) {
  for (const auto& [host, why] : {std::pair{"stranger", "ssh: .*Permission denied"},
                                  {"unknown", "ssh: .*Host key verification failed"}}) {
    Session* refused = hosts_->add_remote(host);
    const QRegularExpression says(why);
    EXPECT_TRUE(until([&] { return refused->trouble().contains(says); }))
        << refused->trouble().toStdString();
    EXPECT_FALSE(refused->connected());
    window_->show_host(refused);
    EXPECT_TRUE(until([&] {
      for (const QLabel* label : window_->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(says)) return true;
      return false;
    })) << "in the window, too";
  }
}

TEST_F(Remote, AHostThatHangsHoldsNothingUp) {
  server_->signal_all(SIGSTOP);
  window_->show_part(remote_, QString::fromStdString(bay(3)));
  page<Problems>("Problems");
  bool turned = false;
  QTimer::singleShot(0, qApp, [&] { turned = true; });
  QElapsedTimer passed;
  passed.start();
  EXPECT_TRUE(until([&] { return turned; }));
  hosts_->remove(remote_);
  EXPECT_LT(passed.elapsed(), kGivenUpMs) << "nothing waited for it";
  EXPECT_TRUE(session_->connected()) << "the other host goes on";
}

// As if its power were lost: the connection stays open, but nothing answers.
TEST_F(Remote, AHostThatSaysNothingMoreIsAskedAndSaidToBeAway) {
  ui::Target target;
  target.host = "store9";
  Session* quiet = hosts_->add(target, "store9", {200, 500});
  ASSERT_TRUE(until([&] { return quiet->connected(); })) << quiet->trouble().toStdString();
  QTest::qWait(1000);
  EXPECT_TRUE(quiet->connected()) << "it has nothing to say, and answers";
  server_->signal_all(SIGSTOP);
  EXPECT_TRUE(until([&] { return !quiet->connected(); }));
  EXPECT_NE(quiet->trouble(), "");
  EXPECT_NE(quiet->snapshot(), nullptr) << "what was known stays";
  QFile asked(at("asked"));
  ASSERT_TRUE(asked.open(QIODevice::ReadOnly));
  EXPECT_TRUE(asked.readAll().contains("ServerAliveInterval="))
      << "and ssh notices it by itself, for what is asked while nothing else is";
}

}  // namespace
}  // namespace fmd::tray

// SPDX-License-Identifier: BSL-1.0
// Connections while there is no memory. A program of its own: it replaces operator new.
#include "tactor/asio/memory_stream.hpp"
#include "tactor/asio/tcp.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> too_large{everything};  // a request of so many bytes fails

}  // namespace

// NOLINTBEGIN(cppcoreguidelines-no-malloc, readability-inconsistent-declaration-parameter-name)
void* operator new(std::size_t size) {
  void* const block = size >= too_large.load() ? nullptr : std::malloc(size);
  if (block == nullptr) throw std::bad_alloc{};
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}
// NOLINTEND(cppcoreguidelines-no-malloc, readability-inconsistent-declaration-parameter-name)

namespace tactor::io {
namespace {

// Both ends of a connection: a stream, and a socket without anything.
class no_memory : public testing::Test {
protected:
  no_memory() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    auto listener = *tcp_listener::listen(threads_, "127.0.0.1", 0, {.queue = 1u << 30});
    std::promise<stream_result> came;
    auto got = came.get_future();
    const pending begun =
        listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(listener.port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    stream_ = *got.get();
  }
  ~no_memory() override {
    too_large = everything;
    stream_->close();
    ::close(fd_);
  }
  no_memory(const no_memory&) = delete;
  no_memory& operator=(const no_memory&) = delete;

  // Reads until the connection has ended. Returns: 0 at the end of the stream, or the error.
  [[nodiscard]] int how_it_ends() const {
    std::array<char, 65536> room{};
    ssize_t got = 1;
    while (got > 0)
      got = ::read(fd_, room.data(), room.size());
    return got == 0 ? 0 : errno;
  }
  // What a call says that calls back at once.
  template <class Call>
  static std::optional<io_result> said_by(Call call) {
    std::optional<io_result> said;
    call([&said](io_result now) { said = now; });
    return said;
  }
  [[nodiscard]] bool writes(const std::string& bytes) const {
    return stream_->write(bytes).has_value();
  }

  io_threads threads_{1};
  int fd_;
  std::shared_ptr<byte_stream> stream_;
};

const io_result refused = std::unexpected{std::make_error_code(std::errc::not_enough_memory)};

// spec: A8
TEST_F(no_memory, for_the_rest_of_a_write_ends_the_connection_so_that_both_sides_see_it) {
  const std::string more_than_the_socket_takes(64u << 20, 'x');
  too_large = 1u << 20;
  EXPECT_EQ(stream_->write(more_than_the_socket_takes).error(), write_error::closed);
  too_large = everything;
  EXPECT_FALSE(writes("and on")) << "bytes are missing before these";
  EXPECT_EQ(said_by([&](auto done) { stream_->flush(std::move(done)); }), refused);
  EXPECT_EQ(said_by([&](auto done) { stream_->readable(std::move(done)); }), refused);
  EXPECT_EQ(said_by([&](auto done) { stream_->finish(std::move(done)); }), refused);
  EXPECT_EQ(how_it_ends(), ECONNRESET) << "the peer takes a part for the whole";
}

// spec: A8
TEST_F(no_memory, for_a_write_behind_another_ends_the_connection_likewise) {
  EXPECT_TRUE(writes(std::string(64u << 20, 'x')));
  const std::string next(48u << 20, 'y');
  too_large = 1u << 20;
  EXPECT_EQ(stream_->write(next).error(), write_error::closed);
  too_large = everything;
  EXPECT_EQ(how_it_ends(), ECONNRESET);
}

// spec: A8
TEST_F(no_memory, for_what_came_ends_the_connection_and_not_the_program) {
  std::promise<io_result> came;
  stream_->readable([&came](io_result now) { came.set_value(now); });
  const std::string bytes(16384, 'x');
  too_large = 4096;
  ASSERT_EQ(send(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(came.get_future().get(), refused);
  too_large = everything;
  EXPECT_EQ(how_it_ends(), ECONNRESET);
}

// spec: A8
TEST_F(no_memory, is_not_needed_to_end_things) {
  auto [one, other] = memory_pair();
  auto listener = *tcp_listener::listen(threads_, "127.0.0.1", 0);
  std::promise<stream_result> came;
  auto got = came.get_future();
  const pending begun = listener.accept([&came](stream_result s) { came.set_value(std::move(s)); });
  std::optional<io_result> said;
  one->readable([&said](io_result now) { said = now; });
  too_large = 1;
  one->close();
  other->close();
  listener.close();
  stream_->stop_reading();
  stream_->close();
  too_large = everything;
  EXPECT_EQ(said, io_result{std::unexpected{cancelled()}});
  EXPECT_EQ(got.get().error(), cancelled());
}

}  // namespace
}  // namespace tactor::io

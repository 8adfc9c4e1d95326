// SPDX-License-Identifier: BSL-1.0
// All workloads with SObjectizer 5.8: 1 worker = one_thread dispatcher, 2 = thread_pool with
// individual FIFO.
#include "work.hpp"
#include <so_5/all.hpp>
#include <unistd.h>
using namespace so_5;
using bench::gate;
namespace {
std::uint64_t tokens_arg = 1000;
struct go final : signal_t {};
struct credit final : signal_t {};
struct ball final : message_t {
  std::uint64_t left;
  explicit ball(std::uint64_t l) : left(l) {}
};
struct item final : message_t {
  std::uint64_t a, b;
  item(std::uint64_t x, std::uint64_t y) : a(x), b(y) {}
};
struct stamped final : message_t {
  std::uint64_t left;
  std::int64_t sent;
  stamped(std::uint64_t l, std::int64_t s) : left(l), sent(s) {}
};
struct ask_msg final : message_t {
  mbox_t reply;
  std::uint64_t v;
  ask_msg(mbox_t r, std::uint64_t x) : reply(std::move(r)), v(x) {}
};
struct player final : agent_t {
  mbox_t to;
  gate* done;
  player(context_t c, gate* d) : agent_t(c), done(d) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<ball> m) {
      if (m->left > 1)
        send<ball>(to, m->left - 1);
      else
        done->arrive();
    });
  }
};
struct consumer final : agent_t {
  mbox_t to;
  std::uint64_t burst, seen = 0;
  consumer(context_t c, std::uint64_t b) : agent_t(c), burst(b) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<item>) {
      if (++seen % burst == 0) send<credit>(to);
    });
  }
};
struct producer final : agent_t {
  mbox_t to;
  std::uint64_t burst, bursts;
  gate* done;
  producer(context_t c, std::uint64_t b, std::uint64_t n, gate* d)
      : agent_t(c), burst(b), bursts(n), done(d) {}
  void out() {
    --bursts;
    for (std::uint64_t i = 0; i < burst; ++i)
      send<item>(to, i, i);
  }
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<go>) { out(); }).event([this](mhood_t<credit>) {
      if (bursts > 0)
        out();
      else
        done->arrive();
    });
  }
};
struct counter final : agent_t {
  std::uint64_t left;
  gate* done;
  counter(context_t c, std::uint64_t n, gate* d) : agent_t(c), left(n), done(d) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<item>) {
      if (--left == 0) done->arrive();
    });
  }
};
struct feeder final : agent_t {
  mbox_t to;
  std::uint64_t left;
  feeder(context_t c, mbox_t t, std::uint64_t n) : agent_t(c), to(t), left(n) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<go>) {
      for (int i = 0; i < 100 && left > 0; ++i)
        send<item>(to, left--, 0u);
      if (left > 0) send<go>(*this);
    });
  }
};
struct hopper final : agent_t {
  const std::vector<mbox_t>* all;
  gate* done;
  std::uint64_t s;
  bench::job w;
  std::uint64_t seen = 0;
  hopper(context_t c, const std::vector<mbox_t>* a, gate* d, std::uint64_t seed, bench::job k)
      : agent_t(c), all(a), done(d), s(seed), w(k) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<ball> m) {
      ++seen;
      w();
      if (m->left <= 1) return done->arrive();
      s ^= s << 13;
      s ^= s >> 7;
      s ^= s << 17;
      send<ball>((*all)[s % all->size()], m->left - 1);
    });
  }
};
struct server final : agent_t {
  using agent_t::agent_t;
  void so_define_agent() override {
    so_subscribe_self().event([](mhood_t<ask_msg> m) { send<ball>(m->reply, m->v + 1); });
  }
};
struct asker final : agent_t {
  mbox_t srv;
  std::uint64_t i = 0, n;
  gate* done;
  asker(context_t c, mbox_t s, std::uint64_t k, gate* d) : agent_t(c), srv(s), n(k), done(d) {}
  void so_define_agent() override {
    so_subscribe_self()
        .event([this](mhood_t<go>) { send<ask_msg>(srv, so_direct_mbox(), i); })
        .event([this](mhood_t<ball> m) {
          if (m->left != i + 1) std::abort();
          if (++i == n)
            done->arrive();
          else
            send<ask_msg>(srv, so_direct_mbox(), i);
        });
  }
};
struct relay final : agent_t {
  mbox_t to;
  bench::samples* into;
  gate* done;
  relay(context_t c, bench::samples* s, gate* d) : agent_t(c), into(s), done(d) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<stamped> m) {
      if (m->sent) into->add(bench::now_ns() - m->sent);
      if (m->left <= 1) return done->arrive();
      send<stamped>(to, m->left - 1, m->left % 16 == 0 ? bench::now_ns() : 0);
    });
  }
};
struct laborer final : agent_t {
  mbox_t to;
  bench::job w;
  laborer(context_t c, mbox_t t, bench::job k) : agent_t(c), to(t), w(k) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<item> m) {
      w();
      send<ball>(to, m->a + 1);
    });
  }
};
struct master final : agent_t {
  std::vector<mbox_t> all;
  std::uint64_t size, left = 0, sum = 0, rounds;
  std::int64_t began = 0;
  bench::samples* into;
  gate* done;
  master(context_t c, std::uint64_t s, std::uint64_t r, bench::samples* i, gate* d)
      : agent_t(c), size(s), rounds(r), into(i), done(d) {}
  void round() {
    began = bench::now_ns();
    left = size;
    sum = 0;
    std::uint64_t i = 0;
    for (auto& e : all)
      send<item>(e, i++, 0u);
  }
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<go>) { round(); }).event([this](mhood_t<ball> m) {
      sum += m->left;
      if (--left > 0) return;
      if (sum != size * (size + 1) / 2) std::abort();
      into->add(bench::now_ns() - began);
      if (--rounds > 0)
        round();
      else
        done->arrive();
    });
  }
};
struct kick final : agent_t {
  std::function<void()> f;
  kick(context_t c, std::function<void()> g) : agent_t(c), f(g) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<go>) { f(); });
  }
};
using binder_f = std::function<disp_binder_shptr_t()>;
struct once final : agent_t {
  gate* done;
  once(context_t c, gate* d) : agent_t(c), done(d) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<ball>) { so_deregister_agent_coop_normally(); });
  }
  void so_evt_finish() override { done->arrive(); }
};
struct mother final : agent_t {
  std::uint64_t left;
  binder_f bf;
  gate* done;
  mother(context_t c, std::uint64_t n, binder_f f, gate* d) : agent_t(c), left(n), bf(f), done(d) {}
  void so_define_agent() override {
    so_subscribe_self().event([this](mhood_t<go>) {
      auto coop = so_environment().make_coop(bf());
      auto mb = coop->make_agent<once>(done)->so_direct_mbox();
      so_environment().register_coop(std::move(coop));
      send<ball>(mb, 1u);
      if (--left > 0) send<go>(*this);
    });
  }
};
struct idle final : agent_t {
  using agent_t::agent_t;
  void so_define_agent() override {
    so_subscribe_self().event([](mhood_t<ball>) {});
  }
};
struct slow final : agent_t {
  std::atomic<bool>* open;
  gate *begun, *done;
  std::uint64_t left;
  slow(context_t c, std::atomic<bool>* o, gate* b, gate* d, std::uint64_t n)
      : agent_t(c), open(o), begun(b), done(d), left(n) {}
  void so_define_agent() override {
    so_subscribe_self()
        .event([this](mhood_t<go>) {
          begun->arrive();
          open->wait(false);
        })
        .event([this](mhood_t<item>) {
          if (--left == 0) done->arrive();
        });
  }
};
}  // namespace
int main(int argc, char** argv) {
  auto a = bench::args_of(argc, argv);
  if (argc > 5) tokens_arg = std::strtoull(argv[5], nullptr, 10);
  wrapped_env_t sobj([](environment_t&) {}, [&](environment_params_t&) {});
  auto& env = sobj.environment();
  binder_f bf;
  if (a.workers == 1) {
    auto d = disp::one_thread::make_dispatcher(env);
    bf = [d] { return d.binder(); };
  } else {
    auto d = disp::thread_pool::make_dispatcher(env, a.workers);
    auto b =
        d.binder(disp::thread_pool::bind_params_t{}.fifo(disp::thread_pool::fifo_t::individual));
    bf = [b] { return b; };
  }
  auto add = [&](auto f) {
    auto coop = env.make_coop(bf());
    auto r = f(*coop);
    env.register_coop(std::move(coop));
    return r;
  };
  double used = 0;
  auto timed = [&](const mbox_t& to, gate& done) {
    std::this_thread::sleep_for(std::chrono::milliseconds{30});
    const auto c = bench::cpu_ns();
    const auto b = bench::now_ns();
    send<go>(to);
    done.wait();
    const auto e = bench::now_ns();
    used = bench::cpu_ns() - c;
    return double(e - b);
  };
  auto kicked = [&](std::function<void()> f, gate& done) {
    return timed(add([&](coop_t& k) { return k.make_agent<kick>(f)->so_direct_mbox(); }), done);
  };
  const std::string& w = a.workload;
  const double n = double(a.count);
  if (w == "ping_pong" || w == "ring_1" || w == "ring_100") {
    std::size_t size = w == "ping_pong" ? 2 : 1000, balls = w == "ring_100" ? 100 : 1;
    gate done{balls};
    std::vector<player*> v;
    std::vector<coop_unique_holder_t> cs;
    for (std::size_t i = 0; i < size; ++i) {
      cs.push_back(env.make_coop(bf()));
      v.push_back(cs.back()->make_agent<player>(&done));
    }
    std::vector<mbox_t> mb;
    for (auto* p : v)
      mb.push_back(p->so_direct_mbox());
    for (std::size_t i = 0; i < size; ++i)
      v[i]->to = mb[(i + 1) % size];
    for (auto& c : cs)
      env.register_coop(std::move(c));
    double ns = kicked(
        [&] {
          for (std::size_t i = 0; i < balls; ++i)
            send<ball>(mb[i * size / balls], a.count / balls);
        },
        done);
    bench::say(a, bench::figure("ns", ns / n));
  } else if (w == "bursts" || w == "one_burst") {
    std::uint64_t burst = w == "bursts" ? 100 : a.count;
    gate done{1};
    auto c1 = env.make_coop(bf());
    auto c2 = env.make_coop(bf());
    auto* p = c1->make_agent<producer>(burst, a.count / burst, &done);
    auto* c = c2->make_agent<consumer>(burst);
    p->to = c->so_direct_mbox();
    c->to = p->so_direct_mbox();
    auto mb = p->so_direct_mbox();
    env.register_coop(std::move(c1));
    env.register_coop(std::move(c2));
    double ns = timed(mb, done);
    bench::say(a, bench::figure("ns", ns / n));
  } else if (w == "fan_in") {
    gate done{1};
    auto to = add(
        [&](coop_t& k) { return k.make_agent<counter>(a.count / 4 * 4, &done)->so_direct_mbox(); });
    std::vector<mbox_t> f;
    for (int i = 0; i < 4; ++i)
      f.push_back(
          add([&](coop_t& k) { return k.make_agent<feeder>(to, a.count / 4)->so_direct_mbox(); }));
    double ns = kicked(
        [&] {
          for (auto& x : f)
            send<go>(x);
        },
        done);
    bench::say(a, bench::figure("ns", ns / n));
  } else if (w == "work" || w == "random") {
    std::size_t size = w == "work" ? 1000 : 10000, toks = w == "work" ? tokens_arg : 10000;
    gate done{toks};
    bench::job k{a.param};
    std::vector<mbox_t> all;
    std::vector<hopper*> hs;
    for (std::size_t i = 0; i < size; ++i)
      all.push_back(add([&](coop_t& c) {
        hs.push_back(c.make_agent<hopper>(&all, &done, std::uint64_t{i * 7919 + 1}, k));
        return hs.back()->so_direct_mbox();
      }));
    double ns = kicked(
        [&] {
          for (std::size_t i = 0; i < toks; ++i)
            send<ball>(all[i * size / toks % size], a.count / toks);
        },
        done);
    std::uint64_t sum = 0;
    for (auto* h : hs)
      sum += h->seen;
    if (sum != a.count / toks * toks) {
      std::fprintf(stderr, "missing\n");
      _exit(1);
    }
    bench::say(a, bench::figure("ns", ns / double(sum)) + ", " +
                      bench::figure("cpu_ns", used / double(sum)) + ", " +
                      bench::figure("tokens", double(toks)));
  } else if (w == "ask") {
    gate done{1};
    auto s = add([&](coop_t& k) { return k.make_agent<server>()->so_direct_mbox(); });
    auto q =
        add([&](coop_t& k) { return k.make_agent<asker>(s, a.count, &done)->so_direct_mbox(); });
    double ns = timed(q, done);
    bench::say(a, bench::figure("ns", ns / n));
  } else if (w == "spawn_stop") {
    gate done{a.count};
    auto s =
        add([&](coop_t& k) { return k.make_agent<mother>(a.count, bf, &done)->so_direct_mbox(); });
    double ns = timed(s, done);
    bench::say(a, bench::figure("ns", ns / n));
  } else if (w == "idle_actors") {
    auto make = [&](std::uint64_t c) {
      for (std::uint64_t i = 0; i < c; ++i)
        add([&](coop_t& k) {
          k.make_agent<idle>();
          return 0;
        });
    };
    make(1000);
    const double before = bench::resident_bytes();
    const auto b = bench::now_ns();
    make(a.count);
    const auto e = bench::now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds{500});
    bench::say(a, bench::figure("bytes_each", (bench::resident_bytes() - before) / n) + ", " +
                      bench::figure("ns", double(e - b) / n));
  } else if (w == "fair") {
    std::size_t size = a.param;
    gate done{size};
    bench::samples s{a.count / 16 + size};
    std::vector<relay*> v;
    std::vector<coop_unique_holder_t> cs;
    for (std::size_t i = 0; i < size; ++i) {
      cs.push_back(env.make_coop(bf()));
      v.push_back(cs.back()->make_agent<relay>(&s, &done));
    }
    std::vector<mbox_t> mb;
    for (auto* p : v)
      mb.push_back(p->so_direct_mbox());
    for (std::size_t i = 0; i < size; ++i)
      v[i]->to = mb[(i + 1) % size];
    for (auto& c : cs)
      env.register_coop(std::move(c));
    double ns = kicked(
        [&] {
          for (auto& m : mb)
            send<stamped>(m, a.count / size, std::int64_t{0});
        },
        done);
    bench::say(a, bench::figure("ns", ns / n) + ", " + s.quantiles());
  } else if (w == "rounds") {
    gate done{1};
    bench::samples s{a.count};
    bench::job k{a.param};
    auto c1 = env.make_coop(bf());
    auto* m = c1->make_agent<master>(tokens_arg, a.count, &s, &done);
    auto mb = m->so_direct_mbox();
    for (std::uint64_t i = 0; i < tokens_arg; ++i)
      m->all.push_back(
          add([&](coop_t& c) { return c.make_agent<laborer>(mb, k)->so_direct_mbox(); }));
    env.register_coop(std::move(c1));
    double ns = timed(mb, done);
    bench::say(a, bench::figure("us", ns / 1e3 / n) + ", " +
                      bench::figure("cpu_us", used / 1e3 / n) + ", " + s.quantiles());
  } else if (w == "foreign_one" || w == "foreign_many") {
    const std::uint64_t targets = w == "foreign_one" ? 1 : 1000, threads = a.param,
                        each = a.count / threads / targets * targets;
    gate done{targets}, start{1}, at_start{threads};
    std::atomic<std::int64_t> send_ns{0};
    std::vector<mbox_t> to;
    for (std::size_t i = 0; i < targets; ++i)
      to.push_back(add([&](coop_t& k) {
        return k.make_agent<counter>(each * threads / targets, &done)->so_direct_mbox();
      }));
    std::vector<std::thread> ts;
    for (std::uint64_t t = 0; t < threads; ++t)
      ts.emplace_back([&, t] {
        at_start.arrive();
        start.wait();
        const auto b = bench::now_ns();
        std::size_t at = t * 7919 % targets;
        for (std::uint64_t i = 0; i < each; ++i) {
          send<item>(to[at], i, t);
          if (++at == targets) at = 0;
        }
        send_ns.fetch_add(bench::now_ns() - b);
      });
    at_start.wait();
    const auto c0 = bench::cpu_ns();
    const auto b = bench::now_ns();
    start.arrive();
    done.wait();
    const auto e = bench::now_ns();
    const double cnt = double(each * threads), cpu = bench::cpu_ns() - c0;
    for (auto& t : ts)
      t.join();
    bench::say(a, bench::figure("ns", double(e - b) / cnt) + ", " +
                      bench::figure("send_ns", double(send_ns.load()) / cnt) + ", " +
                      bench::figure("cpu_ns", cpu / cnt));
  } else if (w == "queued") {
    std::string text;
    double before0 = 0;
    std::atomic<bool> open[2];
    gate begun[2] = {gate{1}, gate{1}}, done[2] = {gate{1}, gate{1}};
    for (int r = 0; r < 2; ++r) {
      open[r] = false;
      auto s = add([&](coop_t& k) {
        return k.make_agent<slow>(&open[r], &begun[r], &done[r], a.count)->so_direct_mbox();
      });
      send<go>(s);
      begun[r].wait();
      const double before = bench::resident_bytes();
      if (r == 0) before0 = before;
      const auto b = bench::now_ns();
      for (std::uint64_t i = 0; i < a.count; ++i)
        send<item>(s, i, i);
      const auto e = bench::now_ns();
      const double full = bench::resident_bytes();
      const auto d = bench::now_ns();
      open[r] = true;
      open[r].notify_all();
      done[r].wait();
      const auto f = bench::now_ns();
      std::this_thread::sleep_for(std::chrono::milliseconds{500});
      const double after = bench::resident_bytes();
      char p[8];
      std::snprintf(p, 8, "r%d_", r);
      text += (r ? ", " : "") +
              bench::figure((std::string(p) + "bytes_each").c_str(), (full - before) / n) + ", " +
              bench::figure((std::string(p) + "send_ns").c_str(), double(e - b) / n) + ", " +
              bench::figure((std::string(p) + "drain_ns").c_str(), double(f - d) / n) + ", " +
              bench::figure((std::string(p) + "kept_mb").c_str(), (after - before0) / 1048576);
    }
    std::this_thread::sleep_for(std::chrono::seconds{3});
    text += ", " + bench::figure("kept_3s_mb", (bench::resident_bytes() - before0) / 1048576);
    bench::say(a, text);
  } else
    _exit(2);
  std::fflush(stdout);
  _exit(0);
}

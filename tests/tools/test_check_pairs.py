# SPDX-License-Identifier: BSL-1.0
import check_pairs
from planted import PlantedTree


class CheckPairs(PlantedTree):
    def passes(self, text, path="base/x.hpp"):
        self.plant(path, text)
        self.assert_passes(check_pairs.main, self.root)

    def fails_with(self, complaint, text, path="base/x.hpp"):
        self.plant(path, text)
        self.assert_fails_with(complaint, check_pairs.main, self.root)

    def test_a_pair_with_two_sides_passes(self):
        self.passes("""\
            void push() { tail.exchange(&fresh, acq_rel); }  // pairs: mpsc.tail
            void link() { next.store(&fresh, release); }     // pairs: mpsc.link
            node* successor() {
              // The producer may be between its two steps.
              // pairs: mpsc.link
              return next.load(port::acquire);
            }
            """)

    def test_the_two_sides_may_stand_in_different_files(self):
        self.plant("base/y.cpp", "int y() { return x.load(acquire); }  // pairs: x.ready\n")
        self.passes("void x() { x.store(1, release); }  // pairs: x.ready\n")

    def test_an_access_without_tag_is_caught(self):
        self.fails_with("base/x.hpp:2: release without `// pairs: topic.name`", """\
            // publishes the node
            void f() { next.store(&fresh, release); }
            """)

    def test_an_access_without_tag_behind_one_with_a_tag_is_caught(self):
        self.fails_with("base/x.hpp:2: release without", """\
            int f() { return a.load(acquire); }  // pairs: a.b
            void g() { a.store(1, release); }
            """)

    def test_an_unpaired_release_is_caught(self):
        self.fails_with("base/x.hpp:1: pair mpsc.link is never acquired",
                        "void f() { next.store(&fresh, release); }  // pairs: mpsc.link\n")

    def test_an_unpaired_acquire_is_caught(self):
        self.fails_with("pair mpsc.link is never released",
                        "node* f() { return next.load(acquire); }  // pairs: mpsc.link\n")

    def test_a_misspelt_tag_is_caught_on_both_sides(self):
        self.fails_with("pair mpsc.lnik is never acquired", """\
            void f() { next.store(&fresh, release); }  // pairs: mpsc.lnik
            node* g() { return next.load(acquire); }   // pairs: mpsc.link
            """)

    def test_a_tag_beside_no_access_is_caught(self):
        self.fails_with("base/x.hpp:1: `pairs:` beside no access", "int f();  // pairs: mpsc.link\n")

    def test_an_access_over_several_lines_is_seen(self):
        self.fails_with("base/x.hpp:3: acq_rel without", """\
            bool f() {
              return word.compare_exchange(expected, desired,
                                           acq_rel);
            }
            """)

    def test_the_comment_may_stand_on_any_line_of_the_statement_or_above_it(self):
        self.passes("""\
            bool f() {
              return word.compare_exchange(  // pairs: a.b
                  expected, desired,
                  acq_rel);
            }
            bool g() {
              // pairs: a.c
              const bool won =
                  word.compare_exchange(expected, desired, acq_rel);
              return word.compare_exchange(expected, desired,
                                           acq_rel) &&
                     won;  // pairs: a.d
            }
            """)

    def test_one_access_may_belong_to_several_pairs(self):
        self.passes("""\
            void f() { a.exchange(1, acq_rel); }      // pairs: a.b, a.c
            int g() { return a.load(acquire); }       // pairs: a.b
            void h() { a.store(2, release); }         // pairs: a.c
            """)

    def test_relaxed_without_a_reason_is_caught(self):
        self.fails_with("base/x.hpp:1: say why relaxed is enough", "int f() { return n.load(relaxed); }\n")
        self.fails_with("base/x.hpp:1: say why relaxed is enough", "int f() { return n.load(relaxed); }  // relaxed:\n")
        self.fails_with("base/x.hpp:1: say why relaxed is enough",
                        "int f() { return n.load(std::memory_order_relaxed); }\n")

    def test_relaxed_with_a_reason_passes(self):
        self.passes("int f() { return n.load(relaxed); }  // relaxed: statistic only\n")

    def test_each_order_of_a_choice_is_seen(self):
        self.fails_with("say why relaxed is enough", """\
            int f() { return n.load(strong ? acquire : relaxed); }  // pairs: a.b
            void g() { n.store(1, release); }  // pairs: a.b
            """)

    def test_seq_cst_without_a_reason_is_caught(self):
        self.fails_with("say what seq_cst ties together", "void f() { n.exchange(1, seq_cst); }  // pairs: a.b\n")

    def test_words_that_are_no_orders_are_left_alone(self):
        self.passes("""\
            enum class memory_model { relaxed, acquire, release };
            void f(pool& p) { p.release(1); acquire(p); log("relaxed)", 'a'); /* (acquire) */ }
            """)

    def test_a_requirement_in_a_concept_is_no_access(self):
        self.passes("""\
            concept atomic_object = requires(A a, T value) {
              { a.load(acquire) } noexcept -> std::same_as<T>;
              { a.exchange(value,
                           acq_rel) } noexcept -> std::same_as<T>;
            };
            """, "port/port.hpp")

    def test_a_port_may_wrap_but_explains_its_own_accesses(self):
        self.passes("std::atomic<T> value_;\nT load(memory_order order) { return value_.load(order); }\n",
                    "port/host/tactor_port.hpp")
        self.fails_with("say why relaxed is enough", "int f() { return n.load(relaxed); }\n", "port/host/x.cpp")

    def test_std_atomic_outside_port_is_caught(self):
        self.fails_with("host/pool.hpp:1: std::atomic stays in port/", "std::atomic<int> n;\n", "host/pool.hpp")
        self.fails_with("host/pool.hpp:1: std::atomic stays in port/", "std::atomic_flag f;\n", "host/pool.hpp")

    def test_a_fence_or_an_order_in_a_variable_outside_port_is_caught(self):
        self.fails_with("no stand-alone fences", "void f() { std::atomic_thread_fence(o); }\n")
        self.fails_with("spell it at the access", "void f(port::memory_order order);\n")

    def test_test_files_are_not_looked_at(self):
        self.passes("int f() { return n.load(acquire); }\n", "base/x.test.cpp")

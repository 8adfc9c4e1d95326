// SPDX-License-Identifier: BSL-1.0
// Actix: an actor stays on the arbiter (thread) where it was made; actor i on arbiter i % WORKERS.
use actix::prelude::*;
use peers::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
type R = Addr<A>;
#[derive(Message)]
#[rtype(result = "()")]
enum M {
    Go,
    Meet(R),
    Ball(u64),
    Item(u64, u64),
    Credit,
    Hop(u32),
    Job(u64),
    Answer(u64),
    Stamped(u64, i64),
    Breed(u64),
}
#[derive(Message)]
#[rtype(result = "u64")]
struct Ask(u64);
struct Table {
    all: OnceLock<Vec<R>>,
    loops: u64,
    seen: Vec<AtomicU64>,
}
enum A {
    Player(Option<R>, Arc<Gate>),
    Consumer(R, u64, u64),
    Producer {
        to: Option<R>,
        burst: u64,
        bursts: u64,
        done: Arc<Gate>,
    },
    Counter(u64, Arc<Gate>),
    Feeder(R, u64),
    Hopper {
        t: Arc<Table>,
        s: u64,
        me: usize,
        done: Arc<Gate>,
    },
    Oracle,
    Asker {
        to: R,
        i: u64,
        count: u64,
        done: Arc<Gate>,
    },
    Mother {
        left: u64,
        done: Arc<Gate>,
    },
    Mayfly(Arc<Gate>),
    Idler,
    Nursery(Arc<Gate>, Vec<R>),
    Relay {
        next: Option<R>,
        lat: Vec<i64>,
        into: Arc<Mutex<Vec<i64>>>,
        done: Arc<Gate>,
    },
    Laborer(R, u64, u64),
    Master {
        all: Vec<R>,
        size: u64,
        left: u64,
        sum: u64,
        rounds: u64,
        began: i64,
        lat: Arc<Mutex<Vec<i64>>>,
        done: Arc<Gate>,
    },
    Kick(Box<dyn FnMut() + Send>),
}
impl Actor for A {
    type Context = Context<Self>;
    fn stopped(&mut self, _: &mut Self::Context) {
        if let A::Mayfly(d) = self {
            d.arrive();
        }
    }
}
impl Handler<Ask> for A {
    type Result = u64;
    fn handle(&mut self, q: Ask, _: &mut Context<Self>) -> u64 {
        q.0 + 1
    }
}
fn ask(me: &mut A, ctx: &mut Context<A>) {
    if let A::Asker { to, i, .. } = me {
        let f = to.send(Ask(*i)).timeout(Duration::from_secs(10));
        ctx.spawn(f.into_actor(me).map(|r, me, ctx| {
            if let A::Asker { i, count, done, .. } = me {
                if r.unwrap() != *i + 1 {
                    std::process::abort()
                }
                *i += 1;
                if *i == *count {
                    done.arrive();
                    return;
                }
            }
            ask(me, ctx);
        }));
    }
}
impl Handler<M> for A {
    type Result = ();
    fn handle(&mut self, m: M, ctx: &mut Context<Self>) {
        if let (A::Asker { .. }, M::Go) = (&*self, &m) {
            return ask(self, ctx);
        }
        match (self, m) {
            (A::Player(next, _), M::Meet(n)) => *next = Some(n),
            (A::Player(next, done), M::Ball(l)) => {
                if l > 1 {
                    next.as_ref().unwrap().do_send(M::Ball(l - 1))
                } else {
                    done.arrive()
                }
            }
            (A::Consumer(p, burst, seen), M::Item(..)) => {
                *seen += 1;
                if *seen % *burst == 0 {
                    p.do_send(M::Credit)
                }
            }
            (
                A::Producer {
                    to,
                    burst,
                    bursts,
                    done,
                },
                m,
            ) => {
                if let M::Meet(n) = m {
                    *to = Some(n);
                    return;
                }
                if *bursts == 0 {
                    done.arrive();
                    return;
                }
                *bursts -= 1;
                for i in 0..*burst {
                    to.as_ref().unwrap().do_send(M::Item(i, i))
                }
            }
            (A::Counter(left, done), M::Item(..)) => {
                *left -= 1;
                if *left == 0 {
                    done.arrive()
                }
            }
            (A::Feeder(to, left), M::Go) => {
                for _ in 0..100 {
                    if *left == 0 {
                        break;
                    }
                    to.do_send(M::Item(*left, 0));
                    *left -= 1;
                }
                if *left > 0 {
                    ctx.address().do_send(M::Go)
                }
            }
            (A::Hopper { t, s, me, done }, M::Hop(left)) => {
                t.seen[*me].fetch_add(1, Ordering::Relaxed);
                if t.loops > 0 {
                    *s = s.wrapping_add(spin(t.loops, 1) & 1);
                }
                if left <= 1 {
                    done.arrive();
                    return;
                }
                *s ^= *s << 13;
                *s ^= *s >> 7;
                *s ^= *s << 17;
                let all = t.all.get().unwrap();
                all[(*s % all.len() as u64) as usize].do_send(M::Hop(left - 1));
            }
            (A::Mother { left, done }, M::Go) => {
                A::Mayfly(done.clone()).start().do_send(M::Ball(1));
                *left -= 1;
                if *left > 0 {
                    ctx.address().do_send(M::Go)
                }
            }
            (A::Mayfly(_), M::Ball(_)) => ctx.stop(),
            (A::Nursery(done, all), M::Breed(n)) => {
                let k = n.min(1000);
                for _ in 0..k {
                    all.push(A::Idler.start());
                }
                if n > k {
                    ctx.address().do_send(M::Breed(n - k))
                } else {
                    done.arrive()
                }
            }
            (A::Relay { next, .. }, M::Meet(n)) => *next = Some(n),
            (
                A::Relay {
                    next,
                    lat,
                    into,
                    done,
                },
                M::Stamped(l, sent),
            ) => {
                if sent != 0 {
                    lat.push(now() - sent);
                }
                if l <= 1 {
                    into.lock().unwrap().append(lat);
                    done.arrive();
                    return;
                }
                next.as_ref()
                    .unwrap()
                    .do_send(M::Stamped(l - 1, if l % 16 == 0 { now() } else { 0 }));
            }
            (A::Laborer(to, loops, x), M::Job(v)) => {
                if *loops > 0 {
                    *x = x.wrapping_add(spin(*loops, 1));
                }
                to.do_send(M::Answer(v + 1))
            }
            (A::Master { all, .. }, M::Meet(r)) => all.push(r),
            (
                A::Master {
                    all,
                    size,
                    left,
                    sum,
                    rounds,
                    began,
                    lat,
                    done,
                },
                m,
            ) => {
                if let M::Answer(v) = m {
                    *sum += v;
                    *left -= 1;
                    if *left > 0 {
                        return;
                    }
                    if *sum != *size * (*size + 1) / 2 {
                        std::process::abort();
                    }
                    lat.lock().unwrap().push(now() - *began);
                    *rounds -= 1;
                    if *rounds == 0 {
                        done.arrive();
                        return;
                    }
                }
                *began = now();
                *left = *size;
                *sum = 0;
                for (i, a) in all.iter().enumerate() {
                    a.do_send(M::Job(i as u64))
                }
            }
            (A::Kick(f), M::Go) => f(),
            _ => std::process::abort(),
        }
    }
}
fn main() {
    let a = args();
    let sys = System::new();
    sys.block_on(async {
        let arbs: Vec<Arbiter> = (0..a.workers).map(|_| Arbiter::new()).collect();
        let on = |i: usize, k: A| -> R {
            A::start_in_arbiter(&arbs[i % a.workers].handle(), move |_| k)
        };
        let mut used = 0.0;
        let mut timed = |first: &R, done: &Gate| -> f64 {
            std::thread::sleep(Duration::from_millis(50));
            let c = cpu();
            let b = now();
            first.do_send(M::Go);
            done.wait();
            let e = now();
            used = cpu() - c;
            (e - b) as f64
        };
        let n = a.count as f64;
        let per = |ns: f64| format!("\"ns\": {:.3}", ns / n);
        match a.workload.as_str() {
            w @ ("ping_pong" | "ring_1" | "ring_100") => {
                let (size, balls) = match w {
                    "ping_pong" => (2, 1),
                    "ring_1" => (1000, 1),
                    _ => (1000, 100),
                };
                let done = Arc::new(Gate::new(balls));
                let all: Vec<R> = (0..size)
                    .map(|i| on(i, A::Player(None, done.clone())))
                    .collect();
                for i in 0..size {
                    all[i].do_send(M::Meet(all[(i + 1) % size].clone()));
                }
                let c = a.count;
                let k = on(
                    0,
                    A::Kick(Box::new(move || {
                        for i in 0..balls as usize {
                            all[i * size / balls as usize].do_send(M::Ball(c / balls))
                        }
                    })),
                );
                let ns = timed(&k, &done);
                a.say(&per(ns));
            }
            w @ ("bursts" | "one_burst") => {
                let burst = if w == "bursts" { 100 } else { a.count };
                let done = Arc::new(Gate::new(1));
                let p = on(
                    0,
                    A::Producer {
                        to: None,
                        burst,
                        bursts: a.count / burst,
                        done: done.clone(),
                    },
                );
                let c = on(1, A::Consumer(p.clone(), burst, 0));
                p.do_send(M::Meet(c));
                let ns = timed(&p, &done);
                a.say(&per(ns));
            }
            "fan_in" => {
                let done = Arc::new(Gate::new(1));
                let each = a.count / 4;
                let to = on(0, A::Counter(each * 4, done.clone()));
                let fs: Vec<R> = (0..4)
                    .map(|i| on(i + 1, A::Feeder(to.clone(), each)))
                    .collect();
                let k = on(
                    0,
                    A::Kick(Box::new(move || {
                        for f in &fs {
                            f.do_send(M::Go)
                        }
                    })),
                );
                let ns = timed(&k, &done);
                a.say(&per(ns));
            }
            w @ ("work" | "random") => {
                let (size, toks) = if w == "work" {
                    (1000usize, a.tokens)
                } else {
                    (10000, 10000)
                };
                let done = Arc::new(Gate::new(toks));
                let t = Arc::new(Table {
                    all: OnceLock::new(),
                    loops: loops(a.param),
                    seen: (0..size).map(|_| AtomicU64::new(0)).collect(),
                });
                let all: Vec<R> = (0..size)
                    .map(|i| {
                        on(
                            i,
                            A::Hopper {
                                t: t.clone(),
                                s: i as u64 * 7919 + 1,
                                me: i,
                                done: done.clone(),
                            },
                        )
                    })
                    .collect();
                let _ = t.all.set(all.clone());
                let each = a.count / toks;
                let k = on(
                    0,
                    A::Kick(Box::new(move || {
                        for i in 0..toks as usize {
                            all[i * size / toks as usize % size].do_send(M::Hop(each as u32))
                        }
                    })),
                );
                let ns = timed(&k, &done);
                let sum: u64 = t.seen.iter().map(|x| x.load(Ordering::SeqCst)).sum();
                assert_eq!(sum, each * toks);
                a.say(&format!(
                    "\"ns\": {:.3}, \"cpu_ns\": {:.3}, \"tokens\": {}",
                    ns / sum as f64,
                    used / sum as f64,
                    toks
                ));
            }
            "ask" => {
                let done = Arc::new(Gate::new(1));
                let o = on(1, A::Oracle);
                let k = on(
                    0,
                    A::Asker {
                        to: o,
                        i: 0,
                        count: a.count,
                        done: done.clone(),
                    },
                );
                let ns = timed(&k, &done);
                a.say(&per(ns));
            }
            "spawn_stop" => {
                let done = Arc::new(Gate::new(a.count));
                let k = on(
                    0,
                    A::Mother {
                        left: a.count,
                        done: done.clone(),
                    },
                );
                let ns = timed(&k, &done);
                a.say(&per(ns));
            }
            "idle_actors" => {
                let g = Arc::new(Gate::new(1));
                let k = on(0, A::Nursery(g.clone(), vec![]));
                k.do_send(M::Breed(1000));
                g.wait();
                let before = status("VmRSS:");
                let g = Arc::new(Gate::new(1));
                let k = on(0, A::Nursery(g.clone(), vec![]));
                let b = now();
                k.do_send(M::Breed(a.count));
                g.wait();
                let e = now();
                a.say(&format!(
                    "\"bytes_each\": {:.1}, \"ns\": {:.3}",
                    (status("VmRSS:") - before) / n,
                    (e - b) as f64 / n
                ));
            }
            "fair" => {
                let size = a.param as usize;
                let done = Arc::new(Gate::new(a.param));
                let into = Arc::new(Mutex::new(Vec::new()));
                let all: Vec<R> = (0..size)
                    .map(|i| {
                        on(
                            i,
                            A::Relay {
                                next: None,
                                lat: Vec::with_capacity(1000),
                                into: into.clone(),
                                done: done.clone(),
                            },
                        )
                    })
                    .collect();
                for i in 0..size {
                    all[i].do_send(M::Meet(all[(i + 1) % size].clone()));
                }
                let c = a.count;
                let k = on(
                    0,
                    A::Kick(Box::new(move || {
                        for r in &all {
                            r.do_send(M::Stamped(c / size as u64, 0))
                        }
                    })),
                );
                let ns = timed(&k, &done);
                a.say(&format!(
                    "\"ns\": {:.3}, {}",
                    ns / n,
                    quant(&mut into.lock().unwrap(), "")
                ));
            }
            "rounds" => {
                let done = Arc::new(Gate::new(1));
                let lat = Arc::new(Mutex::new(Vec::new()));
                let l = loops(a.param);
                let m = on(
                    0,
                    A::Master {
                        all: vec![],
                        size: a.tokens,
                        left: 0,
                        sum: 0,
                        rounds: a.count,
                        began: 0,
                        lat: lat.clone(),
                        done: done.clone(),
                    },
                );
                for i in 0..a.tokens {
                    let r = on(i as usize, A::Laborer(m.clone(), l, 0));
                    m.do_send(M::Meet(r));
                }
                let ns = timed(&m, &done);
                a.say(&format!(
                    "\"us\": {:.3}, \"cpu_us\": {:.3}, {}",
                    ns / 1e3 / n,
                    used / 1e3 / n,
                    quant(&mut lat.lock().unwrap(), "")
                ));
            }
            _ => std::process::exit(2),
        }
        use std::io::Write;
        std::io::stdout().flush().unwrap();
        std::process::exit(0);
    });
}

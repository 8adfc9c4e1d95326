// SPDX-License-Identifier: BSL-1.0
use peers::*;
use ractor::{Actor, ActorProcessingErr, ActorRef, RpcReplyPort};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
type R = ActorRef<M>;
enum M {
    Go,
    Meet(R),
    Ball(u64),
    Item(u64, u64),
    Credit,
    Hop(u32),
    Ask(u64, RpcReplyPort<u64>),
    Job(u64),
    Answer(u64),
    Stamped(u64, i64),
    Breed(u64),
}
struct Table {
    all: OnceLock<Vec<R>>,
    loops: u64,
    seen: Vec<AtomicU64>,
}
enum Kind {
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
        count: u64,
        done: Arc<Gate>,
    },
    Mother {
        left: u64,
        done: Arc<Gate>,
    },
    Mayfly(Arc<Gate>),
    Idler,
    Nursery(Arc<Gate>),
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
    Slow {
        open: Arc<(AtomicBool, Gate)>,
        begun: Arc<Gate>,
        left: u64,
        done: Arc<Gate>,
    },
}
struct A;
impl Actor for A {
    type Msg = M;
    type State = Kind;
    type Arguments = Kind;
    async fn pre_start(&self, _me: R, a: Kind) -> Result<Kind, ActorProcessingErr> {
        Ok(a)
    }
    async fn post_stop(&self, _me: R, k: &mut Kind) -> Result<(), ActorProcessingErr> {
        if let Kind::Mayfly(d) = k {
            d.arrive();
        }
        Ok(())
    }
    async fn handle(&self, me: R, m: M, k: &mut Kind) -> Result<(), ActorProcessingErr> {
        match (k, m) {
            (Kind::Player(next, _), M::Meet(n)) => *next = Some(n),
            (Kind::Player(next, done), M::Ball(l)) => {
                if l > 1 {
                    let _ = next.as_ref().unwrap().send_message(M::Ball(l - 1));
                } else {
                    done.arrive()
                }
            }
            (Kind::Consumer(p, burst, seen), M::Item(..)) => {
                *seen += 1;
                if *seen % *burst == 0 {
                    let _ = p.send_message(M::Credit);
                }
            }
            (
                Kind::Producer {
                    to,
                    burst,
                    bursts,
                    done,
                },
                m,
            ) => {
                if let M::Meet(n) = m {
                    *to = Some(n);
                    return Ok(());
                }
                if *bursts == 0 {
                    done.arrive();
                    return Ok(());
                }
                *bursts -= 1;
                for i in 0..*burst {
                    let _ = to.as_ref().unwrap().send_message(M::Item(i, i));
                }
            }
            (Kind::Counter(left, done), M::Item(..)) => {
                *left -= 1;
                if *left == 0 {
                    done.arrive()
                }
            }
            (Kind::Feeder(to, left), M::Go) => {
                for _ in 0..100 {
                    if *left == 0 {
                        break;
                    }
                    let _ = to.send_message(M::Item(*left, 0));
                    *left -= 1;
                }
                if *left > 0 {
                    let _ = me.send_message(M::Go);
                }
            }
            (Kind::Hopper { t, s, me, done }, M::Hop(left)) => {
                t.seen[*me].fetch_add(1, Ordering::Relaxed);
                if t.loops > 0 {
                    *s = s.wrapping_add(spin(t.loops, 1) & 1);
                }
                if left <= 1 {
                    done.arrive();
                    return Ok(());
                }
                *s ^= *s << 13;
                *s ^= *s >> 7;
                *s ^= *s << 17;
                let all = t.all.get().unwrap();
                let _ = all[(*s % all.len() as u64) as usize].send_message(M::Hop(left - 1));
            }
            (Kind::Oracle, M::Ask(v, r)) => {
                let _ = r.send(v + 1);
            }
            (Kind::Asker { to, count, done }, M::Go) => {
                for i in 0..*count {
                    let v: u64 = ractor::call_t!(to, M::Ask, 10000, i)?;
                    if v != i + 1 {
                        std::process::abort();
                    }
                }
                done.arrive();
            }
            (Kind::Mother { left, done }, M::Go) => {
                let (c, _) = Actor::spawn(None, A, Kind::Mayfly(done.clone())).await?;
                let _ = c.send_message(M::Ball(1));
                *left -= 1;
                if *left > 0 {
                    let _ = me.send_message(M::Go);
                }
            }
            (Kind::Mayfly(_), M::Ball(_)) => me.stop(None),
            (Kind::Nursery(done), M::Breed(n)) => {
                let now_ = n.min(1000);
                for _ in 0..now_ {
                    let _ = Actor::spawn(None, A, Kind::Idler).await?;
                }
                if n > now_ {
                    let _ = me.send_message(M::Breed(n - now_));
                } else {
                    done.arrive()
                }
            }
            (Kind::Relay { next, .. }, M::Meet(n)) => *next = Some(n),
            (
                Kind::Relay {
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
                    return Ok(());
                }
                let _ = next
                    .as_ref()
                    .unwrap()
                    .send_message(M::Stamped(l - 1, if l % 16 == 0 { now() } else { 0 }));
            }
            (Kind::Laborer(to, loops, x), M::Job(v)) => {
                if *loops > 0 {
                    *x = x.wrapping_add(spin(*loops, 1));
                }
                let _ = to.send_message(M::Answer(v + 1));
            }
            (Kind::Master { all, .. }, M::Meet(r)) => all.push(r),
            (
                Kind::Master {
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
                        return Ok(());
                    }
                    if *sum != *size * (*size + 1) / 2 {
                        std::process::abort();
                    }
                    lat.lock().unwrap().push(now() - *began);
                    *rounds -= 1;
                    if *rounds == 0 {
                        done.arrive();
                        return Ok(());
                    }
                }
                *began = now();
                *left = *size;
                *sum = 0;
                for (i, a) in all.iter().enumerate() {
                    let _ = a.send_message(M::Job(i as u64));
                }
            }
            (Kind::Kick(f), M::Go) => f(),
            (Kind::Slow { open, begun, .. }, M::Go) => {
                begun.arrive();
                open.1.wait();
            }
            (Kind::Slow { left, done, .. }, M::Item(..)) => {
                *left -= 1;
                if *left == 0 {
                    done.arrive()
                }
            }
            _ => std::process::abort(),
        }
        Ok(())
    }
}
fn main() {
    let a = args();
    let rt = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(a.workers)
        .enable_time()
        .build()
        .unwrap();
    let spawn = |k: Kind| -> R { rt.block_on(async { Actor::spawn(None, A, k).await.unwrap().0 }) };
    let mut used = 0.0;
    let mut timed = |first: &R, done: &Gate| -> f64 {
        std::thread::sleep(std::time::Duration::from_millis(30));
        let c = cpu();
        let b = now();
        let _ = first.send_message(M::Go);
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
                .map(|_| spawn(Kind::Player(None, done.clone())))
                .collect();
            for i in 0..size {
                let _ = all[i].send_message(M::Meet(all[(i + 1) % size].clone()));
            }
            let c = a.count;
            let k = spawn(Kind::Kick(Box::new(move || {
                for i in 0..balls as usize {
                    let _ = all[i * size / balls as usize].send_message(M::Ball(c / balls));
                }
            })));
            let ns = timed(&k, &done);
            a.say(&per(ns));
        }
        w @ ("bursts" | "one_burst") => {
            let burst = if w == "bursts" { 100 } else { a.count };
            let done = Arc::new(Gate::new(1));
            let p = spawn(Kind::Producer {
                to: None,
                burst,
                bursts: a.count / burst,
                done: done.clone(),
            });
            let c = spawn(Kind::Consumer(p.clone(), burst, 0));
            let _ = p.send_message(M::Meet(c));
            let ns = timed(&p, &done);
            a.say(&per(ns));
        }
        "fan_in" => {
            let done = Arc::new(Gate::new(1));
            let each = a.count / 4;
            let to = spawn(Kind::Counter(each * 4, done.clone()));
            let fs: Vec<R> = (0..4)
                .map(|_| spawn(Kind::Feeder(to.clone(), each)))
                .collect();
            let k = spawn(Kind::Kick(Box::new(move || {
                for f in &fs {
                    let _ = f.send_message(M::Go);
                }
            })));
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
                    spawn(Kind::Hopper {
                        t: t.clone(),
                        s: i as u64 * 7919 + 1,
                        me: i,
                        done: done.clone(),
                    })
                })
                .collect();
            let _ = t.all.set(all.clone());
            let each = a.count / toks;
            let k = spawn(Kind::Kick(Box::new(move || {
                for i in 0..toks as usize {
                    let _ = all[i * size / toks as usize % size].send_message(M::Hop(each as u32));
                }
            })));
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
            let o = spawn(Kind::Oracle);
            let k = spawn(Kind::Asker {
                to: o,
                count: a.count,
                done: done.clone(),
            });
            let ns = timed(&k, &done);
            a.say(&per(ns));
        }
        "spawn_stop" => {
            let done = Arc::new(Gate::new(a.count));
            let k = spawn(Kind::Mother {
                left: a.count,
                done: done.clone(),
            });
            let ns = timed(&k, &done);
            a.say(&per(ns));
        }
        "idle_actors" => {
            let g = Arc::new(Gate::new(1));
            let k = spawn(Kind::Nursery(g.clone()));
            let _ = k.send_message(M::Breed(1000));
            g.wait();
            let before = status("VmRSS:");
            let g = Arc::new(Gate::new(1));
            let k = spawn(Kind::Nursery(g.clone()));
            let b = now();
            let _ = k.send_message(M::Breed(a.count));
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
                .map(|_| {
                    spawn(Kind::Relay {
                        next: None,
                        lat: Vec::with_capacity(1000),
                        into: into.clone(),
                        done: done.clone(),
                    })
                })
                .collect();
            for i in 0..size {
                let _ = all[i].send_message(M::Meet(all[(i + 1) % size].clone()));
            }
            let c = a.count;
            let k = spawn(Kind::Kick(Box::new(move || {
                for r in &all {
                    let _ = r.send_message(M::Stamped(c / size as u64, 0));
                }
            })));
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
            let m = spawn(Kind::Master {
                all: vec![],
                size: a.tokens,
                left: 0,
                sum: 0,
                rounds: a.count,
                began: 0,
                lat: lat.clone(),
                done: done.clone(),
            });
            for _ in 0..a.tokens {
                let r = spawn(Kind::Laborer(m.clone(), l, 0));
                let _ = m.send_message(M::Meet(r));
            }
            let ns = timed(&m, &done);
            a.say(&format!(
                "\"us\": {:.3}, \"cpu_us\": {:.3}, {}",
                ns / 1e3 / n,
                used / 1e3 / n,
                quant(&mut lat.lock().unwrap(), "")
            ));
        }
        w @ ("foreign_one" | "foreign_many") => {
            let targets = if w == "foreign_one" { 1u64 } else { 1000 };
            let threads = a.param;
            let each = a.count / threads / targets * targets;
            let done = Arc::new(Gate::new(targets));
            let to: Vec<R> = (0..targets)
                .map(|_| spawn(Kind::Counter(each * threads / targets, done.clone())))
                .collect();
            let start = Arc::new(Gate::new(1));
            let sent = Arc::new(AtomicU64::new(0));
            let ts: Vec<_> = (0..threads)
                .map(|t| {
                    let (to, start, sent) = (to.clone(), start.clone(), sent.clone());
                    std::thread::spawn(move || {
                        start.wait();
                        let b = now();
                        let mut at = (t * 7919 % targets) as usize;
                        for i in 0..each {
                            let _ = to[at].send_message(M::Item(i, t));
                            at += 1;
                            if at == targets as usize {
                                at = 0
                            }
                        }
                        sent.fetch_add((now() - b) as u64, Ordering::SeqCst);
                    })
                })
                .collect();
            std::thread::sleep(std::time::Duration::from_millis(30));
            let c = cpu();
            let b = now();
            start.arrive();
            done.wait();
            let e = now();
            let u = cpu() - c;
            for t in ts {
                t.join().unwrap();
            }
            let n = (each * threads) as f64;
            a.say(&format!(
                "\"ns\": {:.3}, \"send_ns\": {:.3}, \"cpu_ns\": {:.3}",
                (e - b) as f64 / n,
                sent.load(Ordering::SeqCst) as f64 / n,
                u / n
            ));
        }
        "queued" => {
            let mut out = String::new();
            let mut before0 = 0.0;
            for r in 0..2 {
                let done = Arc::new(Gate::new(1));
                let begun = Arc::new(Gate::new(1));
                let open = Arc::new((AtomicBool::new(false), Gate::new(1)));
                let s = spawn(Kind::Slow {
                    open: open.clone(),
                    begun: begun.clone(),
                    left: a.count,
                    done: done.clone(),
                });
                let _ = s.send_message(M::Go);
                begun.wait();
                let before = status("VmRSS:");
                if r == 0 {
                    before0 = before;
                }
                let b = now();
                for i in 0..a.count {
                    let _ = s.send_message(M::Item(i, i));
                }
                let e = now();
                let full = status("VmRSS:");
                let d = now();
                open.1.arrive();
                done.wait();
                let f = now();
                std::thread::sleep(std::time::Duration::from_millis(500));
                out += &format!("\"r{r}_bytes_each\": {:.1}, \"r{r}_send_ns\": {:.1}, \"r{r}_drain_ns\": {:.1}, \"r{r}_kept_mb\": {:.1}, ", (full - before) / n, (e - b) as f64 / n, (f - d) as f64 / n, (status("VmRSS:") - before0) / 1048576.0);
                s.stop(None);
            }
            std::thread::sleep(std::time::Duration::from_secs(3));
            a.say(&format!(
                "{out}\"kept_3s_mb\": {:.1}",
                (status("VmRSS:") - before0) / 1048576.0
            ));
        }
        _ => std::process::exit(2),
    }
    use std::io::Write;
    std::io::stdout().flush().unwrap();
    std::process::exit(0);
}

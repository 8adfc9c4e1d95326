// SPDX-License-Identifier: BSL-1.0
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Instant;
pub fn now() -> i64 {
    static BASE: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BASE.get_or_init(Instant::now).elapsed().as_nanos() as i64 + 1
}
pub struct Gate {
    left: AtomicI64,
    m: Mutex<bool>,
    c: Condvar,
}
impl Gate {
    pub fn new(n: u64) -> Self {
        Gate {
            left: AtomicI64::new(n as i64),
            m: Mutex::new(false),
            c: Condvar::new(),
        }
    }
    pub fn arrive(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.m.lock().unwrap() = true;
            self.c.notify_all();
        }
    }
    pub fn wait(&self) {
        let mut g = self.m.lock().unwrap();
        while !*g {
            g = self.c.wait(g).unwrap();
        }
    }
}
#[inline(never)]
pub fn spin(n: u64, mut x: u64) -> u64 {
    for _ in 0..n {
        x = std::hint::black_box(
            x.wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407),
        );
    }
    x
}
pub fn loops(ns: u64) -> u64 {
    if ns == 0 {
        return 0;
    }
    let mut best = 0.0f64;
    for _ in 0..9 {
        let b = now();
        std::hint::black_box(spin(2_000_000, 1));
        let e = now();
        best = best.max(2e6 / (e - b) as f64);
    }
    (ns as f64 * best) as u64
}
pub fn status(name: &str) -> f64 {
    for l in std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
    {
        if l.starts_with(name) {
            return l.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 1024.0;
        }
    }
    0.0
}
pub fn cpu() -> f64 {
    unsafe {
        let mut t: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t);
        t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
    }
}
pub struct Args {
    pub workload: String,
    pub count: u64,
    pub workers: usize,
    pub param: u64,
    pub tokens: u64,
}
pub fn args() -> Args {
    let a: Vec<String> = std::env::args().collect();
    let n = |i: usize, d: u64| a.get(i).map(|s| s.parse().unwrap()).unwrap_or(d);
    Args {
        workload: a[1].clone(),
        count: n(2, 0),
        workers: n(3, 1) as usize,
        param: n(4, 0),
        tokens: n(5, 1000),
    }
}
impl Args {
    pub fn say(&self, f: &str) {
        println!("{{\"workload\": \"{}\", \"count\": {}, \"workers\": {}, \"param\": {}, {}, \"peak_mb\": {:.1}}}", self.workload, self.count, self.workers, self.param, f, status("VmHWM:") / 1048576.0);
    }
}
pub fn quant(v: &mut Vec<i64>, p: &str) -> String {
    v.sort_unstable();
    let at = |s: f64| v[(s * (v.len() - 1) as f64) as usize] as f64 / 1e3;
    format!(
        "\"{p}p50_us\": {:.3}, \"{p}p95_us\": {:.3}, \"{p}p99_us\": {:.3}, \"{p}max_us\": {:.3}",
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0)
    )
}
pub struct Rnd(pub u64);
impl Rnd {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

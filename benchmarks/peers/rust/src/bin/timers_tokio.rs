// SPDX-License-Identifier: BSL-1.0
// timers_delayqueue / timers_sleep: COUNT live, PARAM pairs; fire: COUNT over 1 s
use peers::*;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;
fn main() {
    let a = args();
    let rt = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let mut r = Rnd(88172645463325252);
    let n = a.count as usize;
    match a.workload.as_str() {
        "dq_steady" => rt.block_on(async {
            let mut q: tokio_util::time::DelayQueue<[u64; 2]> = tokio_util::time::DelayQueue::new();
            let b0 = status("VmRSS:");
            let mut live: Vec<_> = (0..n)
                .map(|i| {
                    q.insert(
                        [i as u64, 0],
                        Duration::from_millis(15000 + r.next() % 15000),
                    )
                })
                .collect();
            let b1 = status("VmRSS:");
            let c0 = cpu();
            let b = now();
            for i in 0..a.param {
                let k = (r.next() % n as u64) as usize;
                q.remove(&live[k]);
                live[k] = q.insert(
                    [k as u64, 0],
                    Duration::from_millis(15000 + r.next() % 15000),
                );
                if i % 1000 == 0 {
                    std::future::poll_fn(|cx| {
                        let _ = q.poll_expired(cx);
                        std::task::Poll::Ready(())
                    })
                    .await;
                }
            }
            a.say(&format!(
                "\"ns\": {:.3}, \"cpu_ns\": {:.3}, \"bytes_each\": {:.1}",
                (now() - b) as f64 / a.param as f64,
                (cpu() - c0) / a.param as f64,
                (b1 - b0) / n as f64
            ));
        }),
        "sleep_steady" => rt.block_on(async {
            // a Sleep registered by a first poll, reset in place: what a connection's timeout does; and dropped and made anew
            let b0 = status("VmRSS:");
            let mut live: Vec<Pin<Box<tokio::time::Sleep>>> = (0..n)
                .map(|_| {
                    Box::pin(tokio::time::sleep(Duration::from_millis(
                        15000 + r.next() % 15000,
                    )))
                })
                .collect();
            std::future::poll_fn(|cx| {
                for s in live.iter_mut() {
                    let _ = s.as_mut().poll(cx);
                }
                std::task::Poll::Ready(())
            })
            .await;
            let b1 = status("VmRSS:");
            let c0 = cpu();
            let b = now();
            for _ in 0..a.param {
                let k = (r.next() % n as u64) as usize;
                let mut fresh = Box::pin(tokio::time::sleep(Duration::from_millis(
                    15000 + r.next() % 15000,
                )));
                std::future::poll_fn(|cx| {
                    let _ = fresh.as_mut().poll(cx);
                    std::task::Poll::Ready(())
                })
                .await;
                live[k] = fresh;
            }
            let ns = (now() - b) as f64 / a.param as f64;
            let c = (cpu() - c0) / a.param as f64;
            let b = now();
            for _ in 0..a.param {
                let k = (r.next() % n as u64) as usize;
                live[k]
                    .as_mut()
                    .reset(Instant::now() + Duration::from_millis(15000 + r.next() % 15000));
            }
            a.say(&format!(
                "\"ns\": {:.3}, \"cpu_ns\": {:.3}, \"reset_ns\": {:.3}, \"bytes_each\": {:.1}",
                ns,
                c,
                (now() - b) as f64 / a.param as f64,
                (b1 - b0) / n as f64
            ));
        }),
        "dq_fire" => rt.block_on(async {
            use futures::StreamExt;
            let mut q = tokio_util::time::DelayQueue::new();
            let c0 = cpu();
            let at = Instant::now() + Duration::from_millis(200);
            for _ in 0..n {
                let due = at + Duration::from_nanos(r.next() % 1_000_000_000);
                q.insert_at(due, due);
            }
            let mut late = Vec::with_capacity(n);
            while late.len() < n {
                let e = q.next().await.unwrap().into_inner();
                late.push(Instant::now().duration_since(e).as_nanos() as i64);
            }
            a.say(&format!(
                "\"cpu_ms\": {:.3}, {}",
                (cpu() - c0) / 1e6,
                quant(&mut late, "late_")
            ));
        }),
        "sleep_fire" => rt.block_on(async {
            let c0 = cpu();
            let at = Instant::now() + Duration::from_millis(200);
            let late = std::sync::Arc::new(std::sync::Mutex::new(Vec::with_capacity(n)));
            let mut hs = Vec::new();
            for _ in 0..n {
                let due = at + Duration::from_nanos(r.next() % 1_000_000_000);
                let l = late.clone();
                hs.push(tokio::spawn(async move {
                    tokio::time::sleep_until(due).await;
                    let x = Instant::now().duration_since(due).as_nanos() as i64;
                    l.lock().unwrap().push(x);
                }));
            }
            for h in hs {
                h.await.unwrap();
            }
            let mut v = late.lock().unwrap();
            a.say(&format!(
                "\"cpu_ms\": {:.3}, {}",
                (cpu() - c0) / 1e6,
                quant(&mut v, "late_")
            ));
        }),
        _ => std::process::exit(2),
    }
}

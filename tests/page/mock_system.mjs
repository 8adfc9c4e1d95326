// SPDX-License-Identifier: BSL-1.0
// A made-up system with as many actors as wanted: the parts of a snapshot as docs/guide/operations.md names them.

const second = 1_000_000_000;
const start = Date.now();

export class MockSystem {
  constructor(actors) {
    this.actors = makeActors(actors);
    this.points = [];
    this.phase = 'running';
    this.started = [];
    for (let age = 300; age > 0; age -= 1) this.points.push(this.pointAt(this.now() - age * second));
  }

  now() {
    return (Date.now() - start) * 1e6 + 300 * second;
  }

  /** Smooth figures that depend on the time only. */
  pointAt(time) {
    const t = time / second;
    const wave = 1 + 0.18 * Math.sin(t / 23) + 0.05 * Math.sin(t / 3.1);
    const total = (rate) => Math.round(rate * (t + 4 * (1 - Math.cos(t / 23))));
    return {
      time_ns: Math.round(time),
      sent: total(182_400),
      handled: total(182_390),
      dead_letters: Math.round(t * 0.4),
      failures: Math.round(t * 0.11),
      restarts: Math.round(t * 0.11),
      waiting: Math.round(420 * wave),
      actors: this.actors.length,
      ready_queue_depth: Math.max(0, Math.round(6 * wave + 4 * Math.sin(t / 5))),
      latency_p50_ns: Math.round(3_900 * wave),
      latency_p99_ns: Math.round(41_000 * wave * wave),
    };
  }

  system() {
    const p = this.pointAt(this.now());
    return {
      name: 'gateway', phase: this.phase, metrics_level: 'system', actors: p.actors, waiting: p.waiting,
      latency_p99_ns: p.latency_p99_ns, handler_p99_ns: 8_700,
      sums: {
        'actor.messages_sent_total': p.sent, 'actor.messages_handled_total': p.handled, 'actor.alive': p.actors,
        'actor.failures_total': p.failures, 'actor.restarts_total': p.restarts, 'actor.suspensions_total': 12, 'actor.resumes_total': 9,
        dead_letters_total: p.dead_letters, 'scheduler.ready_queue.depth': p.ready_queue_depth, 'timer.drift': 210_000, 'actor.registry.memory': 640 * p.actors,
      },
    };
  }

  workers() {
    const now = this.now();
    const busy = [0.82, 0.74, 0.31, 0.97];
    return {
      pool: { spawned: 4, running: 4, draining: 0, stopped: 0 },
      ready_queue_depth: this.pointAt(now).ready_queue_depth,
      workers: busy.map((each, i) => ({ name: `tactor-worker-${i}`, busy_ns: Math.round(now * each), idle_ns: Math.round(now * (1 - each)) })),
      handling: [
        { worker: 0, on_pool: true, actor: '/user/gateway/parser-3', message: 'gateway::frame', turn: 812 },
        { worker: 3, on_pool: true, actor: '/user/store', message: 'gateway::write_reading', turn: 90 },
      ],
    };
  }

  warnings() {
    return [
      { what: 'suspended_long', evidence: '/user/store is suspended for 74 s (backpressure)', advice: 'See who should resume it; the actor page has the reason.' },
      { what: 'hot_dead_letter', evidence: '118 messages were not handled since the last report: no_receiver', advice: 'A sender keeps a reference to an actor that has stopped: watch it.' },
    ];
  }

  window({ path = '', state = '', order = 'path', offset = 0, limit = 100 }, matches = (a) => a.path.includes(path)) {
    const all = this.actors.filter((a) => matches(a) && (!state || a.state === state));
    if (order === 'waiting') all.sort((a, b) => (b.waiting ?? 0) - (a.waiting ?? 0));
    if (order === 'suspended') all.sort((a, b) => (b.suspended_for_ns ?? -1) - (a.suspended_for_ns ?? -1));
    if (order === 'oldest') all.sort((a, b) => (b.oldest_ns ?? -1) - (a.oldest_ns ?? -1));
    return { matching: all.length, offset, list: all.slice(offset, offset + limit) };
  }

  list(query) {
    const { list, ...rest } = this.window(query);
    const now = this.now();
    return { ...rest, actors: list.map((a) => ({ ...a, busy_ns: Math.round((now * (a.handled % 400)) / 1000) })) };
  }

  tree(query) {
    const { path = '', depth } = query;
    const { list, ...rest } = this.window({ ...query, path: '' }, (a) => {
      const below = a.path.slice(path.length);
      return a.path.startsWith(path) && (below === '' || below[0] === '/') && (!depth || below.split('/').length - 1 <= depth);
    });
    return { ...rest, nodes: list };
  }

  actor({ path = '' }) {
    const actor = this.actors.find((a) => a.path === path) ?? null;
    if (!actor) return { actor };
    const children = this.actors.filter((a) => a.parent === actor.id);
    const figures = { label: path, taken: Math.round(this.now() / 1e5), latency_p50_ns: 4_100, latency_p99_ns: 52_000, handler_p50_ns: 900, handler_p99_ns: 11_400 };
    const isBusy = actor.state !== 'suspended';
    return {
      actor, figures, children_total: children.length, children: children.slice(0, 100),
      timers: [
        { key: 'beat', message: 'gateway::heartbeat', mode: 'fixed_rate', due_in_ns: 2.5 * second, period_ns: 5 * second },
        { key: null, message: null, mode: 'once', due_in_ns: second, period_ns: null },
        { key: null, message: 'gateway::flush', mode: 'once', due_in_ns: null, period_ns: null },
      ],
      watchers: isBusy ? null : ['/user/gateway', '/user/pager'],
      watched: isBusy ? null : [],
    };
  }

  timers() {
    const position = Math.floor(this.now() / 10e6);
    const job = (i) => ({ id: `${i}.1`, state: 'scheduled', priority: 'normal', next_tick: position + ((i * 7919) % 4000) });
    return {
      occupancy: { bars: Array.from({ length: 120 }, (_, i) => (i * 31) % 9), left_out: 0 },
      timers: {
        wheel: { position, slots: 4096, active_slots: 371, size: 412, next_deadline: position + 3 },
        overflow: { size: 2, capacity: 65536 },
        periodic: Array.from({ length: Math.max(12, Math.floor(this.actors.length / 5)) }, (_, i) => ({ ...job(i), mode: i % 3 ? 'fixed_rate' : 'fixed_delay', period_ns: (1 + i) * second, backlog: i === 5 ? 2 : 0, last_fire: position - 40 })),
        one_shots: Array.from({ length: 400 }, (_, i) => ({ ...job(100 + i * i), mode: 'once' })),
        left_out: { one_shots: 0 },
        commands: { pending: 1 },
        metrics: {
          scheduled_total: 91_200, completed_total: 88_000, cancelled_total: 2_700, evicted_total: 0, undeliverable_total: 1, active_total: 412, periodic_total: Math.max(12, Math.floor(this.actors.length / 5)),
          fired_total: 120_331, executed_total: 120_330, dropped_total: 1, refused_total: 0, warnings_total: 0, handler_failures_total: 0, quota_limit: 1_000_000,
          drift_last_ns: 180_000 + Math.round(90_000 * Math.sin(this.now() / 4e9)), drift_worst_ns: 4_180_000,
        },
      },
    };
  }

  deadLetters() {
    const total = this.pointAt(this.now()).dead_letters;
    const recent = Array.from({ length: 20 }, (_, i) => ({ time_ns: this.now() - i * 3e9, reason: i % 3 ? 'no_receiver' : 'mailbox_full', message: 'gateway::reading', target: `/user/devices/device-${i * 37}`, target_id: '9.1', sender: i % 4 ? '/user/gateway/parser-3' : null, sender_id: null }));
    return { total, suppressed: 3, by_reason: { no_receiver: total - 9, mailbox_full: 9, stopped: 0 }, not_recorded: 0, recent };
  }

  failures() {
    const p = this.pointAt(this.now());
    const recent = Array.from({ length: 12 }, (_, i) => ({ time_ns: this.now() - i * 9e9, path: `/user/gateway/parser-${i % 8}`, message: 'gateway::frame', text: 'the checksum of the frame is wrong', id: '9.1', type: 'gateway::parser', thrown: 'std::runtime_error', decision: 'restart', restarts: i }));
    return { failures: p.failures, restarts: p.restarts, cause_of_the_end: null, not_recorded: 0, recent };
  }

  shutdown() {
    const { list, ...rest } = this.window({ order: 'suspended' });
    return { phase: this.phase, actors: this.actors.length, waiting: 420, handling: this.workers().handling, ...rest, holding: list };
  }

  act(what, { id, path }) {
    const actor = this.actors.find((a) => a.id === id || a.path === path);
    if (!actor) return null;
    if (what === 'suspend') Object.assign(actor, { state: 'suspended', reasons: ['user_defined'], suspended_for_ns: 0 });
    if (what === 'resume') Object.assign(actor, { state: 'running', reasons: [], suspended_for_ns: null });
    if (what === 'restart') actor.restarts += 1;
    if (what === 'stop') this.actors.splice(this.actors.indexOf(actor), 1);
    return { done: what, path: actor.path, id: actor.id };
  }

  trace() {
    const events = [];
    for (let tid = 0; tid < 4; tid += 1) events.push({ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name: `worker-${tid}` } });
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let tid = 0; tid < 4; tid += 1)
      for (let ts = 40 * random(); ts < 2_000; ts += 10 + 120 * random()) {
        const dur = 4 + 60 * random();
        events.push({ ph: 'X', pid: 1, tid, ts, dur, name: ['frame', 'reading', 'write_reading', 'heartbeat'][Math.floor(random() * 4)], cat: 'handler', args: { actor: `/user/gateway/parser-${tid}` } });
        if (random() < 0.25) events.push({ ph: 's', pid: 1, tid, ts, id: events.length }, { ph: 'f', pid: 1, tid: (tid + 1) % 4, ts: ts + 90 * random(), id: events.length });
        ts += dur;
      }
    return { traceEvents: events };
  }
}

function makeActors(most) {
  const list = [];
  const add = (path, type, more = {}) => {
    const id = `${list.length + 1}.1`;
    list.push({ id, parent: null, path, type, state: 'running', reasons: [], suspended_for_ns: null, waiting: 0, oldest_ns: null, capacity: null, overloaded: false, handled: (list.length * 7919) % 100_000, handler_p99_ns: 900 + ((list.length * 104729) % 30_000), restarts: 0, busy_ns: null, ...more });
    return id;
  };
  const gateway = add('/user/gateway', 'gateway::front');
  for (let i = 0; i < 8; i += 1) add(`/user/gateway/parser-${i}`, 'gateway::parser', { parent: gateway, waiting: (i * 5) % 17, restarts: i });
  add('/user/store', 'gateway::store', { state: 'suspended', reasons: ['backpressure'], suspended_for_ns: 74e9, waiting: 1024, oldest_ns: 73e9, capacity: 1024, overloaded: true });
  add('/user/reports', 'gateway::report_clerk', { state: 'suspended', reasons: ['rate_limit'], suspended_for_ns: 0.4e9, waiting: 31, capacity: 256 });
  add('/user/<img src=x onerror=alert(1)>', 'gateway::probe', { waiting: 2 });
  const devices = add('/user/devices', 'gateway::device_registry', { waiting: 12 });
  for (let i = 0; list.length < most; i += 1) add(`/user/devices/device-${i}`, 'gateway::device', { parent: devices, waiting: i % 97 === 0 ? 3 : 0 });
  return list.sort((a, b) => (a.path < b.path ? -1 : 1));
}

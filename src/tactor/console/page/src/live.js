// SPDX-License-Identifier: BSL-1.0
// What comes once a second: ticks from the event stream, or from polling where there is none.
import { useEffect, useState } from 'preact/hooks';
import { get, urlOf } from './api.js';

const mostPoints = 900;  // 15 minutes
const silence = 5_000;   // after so many ms without a tick the stream counts as broken

const state = { status: 'connecting', console: null, tick: null, before: null, points: [], lost: 0, offset: null, error: null };
const listeners = new Set();
let version = 0;

function publish() {
  version += 1;
  for (const each of listeners) each(version);
}

/** The state; the caller is rendered again with each tick. */
export function useLive() {
  const [, seen] = useState(0);
  useEffect(() => {
    listeners.add(seen);
    return () => listeners.delete(seen);
  }, []);
  return state;
}

/** The latest point without a subscription. */
export const latest = () => state;

/** The time of the system's clock as milliseconds of the wall clock. Until the first tick, what is read counts as of now. */
export const wallTime = (ns) => (state.offset === null ? Date.now() : state.offset + ns / 1e6);

function add(point) {
  const last = state.points.at(-1);
  if (last && point.time_ns < last.time_ns) state.points = [];  // another program answers now
  if (last && point.time_ns === last.time_ns) return;
  state.points.push(point);
  if (state.points.length > mostPoints) state.points.shift();
}

function take(tick) {
  const restarted = state.tick && tick.time_ns < state.tick.time_ns;
  state.before = restarted ? null : state.tick;
  state.tick = tick;
  state.offset = Date.now() - tick.time_ns / 1e6;
  state.lost = tick.lost ?? state.lost;
  state.error = null;
  if (tick.point) add(tick.point);
  if (restarted) void readOnce();
  publish();
}

/** What does not come with ticks: what is allowed, and the last 15 minutes. */
async function readOnce() {
  const [what, history] = await Promise.allSettled([get(urlOf('console')), get(urlOf('history', { seconds: 900 }))]);
  if (what.status === 'fulfilled') state.console = what.value;
  if (history.status === 'fulfilled') {
    const fresh = state.points;
    state.points = [];
    history.value.points.forEach(add);
    const end = state.points.at(-1)?.time_ns ?? 0;
    if (end) state.offset ??= Date.now() - end / 1e6;
    fresh.filter((each) => each.time_ns > end).forEach(add);
  }
  publish();
}
export const readConsole = readOnce;

/** A point of the history, made of the part `system`. */
function pointOf(system, workers) {
  const sums = system.sums;
  return {
    time_ns: system.time_ns,
    sent: sums['actor.messages_sent_total'],
    handled: sums['actor.messages_handled_total'],
    dead_letters: sums.dead_letters_total,
    failures: sums['actor.failures_total'],
    restarts: sums['actor.restarts_total'],
    waiting: system.waiting,
    actors: system.actors,
    ready_queue_depth: workers.ready_queue_depth,
    latency_p50_ns: null,
    latency_p99_ns: null,
  };
}

async function readAll() {
  const [system, workers, warnings] = await Promise.all(['system', 'workers', 'warnings'].map((each) => get(urlOf(each))));
  return { time_ns: system.time_ns, system, workers, warnings: warnings.warnings };
}

/** What is shown until the first tick comes. */
async function readFirst() {
  try {
    const first = await readAll();
    if (!state.tick) take(first);
  } catch {
    // polling will say what is wrong
  }
}

async function poll() {
  try {
    const now = await readAll();
    const again = state.status === 'lost';
    state.status = 'polling';
    take({ ...now, point: pointOf(now.system, now.workers) });
    if (again) void readOnce();
    if (again || stream.readyState === EventSource.CLOSED) retry();
  } catch (error) {
    state.status = 'lost';
    state.error = error;
    publish();
  }
}

let stream = null;
let lastTick = 0;
let lastRetry = 0;

function listen() {
  stream?.close();
  stream = new EventSource('/api/v1/events');
  stream.addEventListener('error', () => {
    lastTick = 0;  // poll at once
  });
  stream.addEventListener('tick', (event) => {
    lastTick = Date.now();
    if (state.status === 'lost' || state.status === 'polling') void readOnce();
    state.status = 'live';
    take(JSON.parse(event.data));
  });
}

/** Tries the event stream again, at most every 10 s. */
function retry() {
  if (Date.now() - lastRetry < 10_000) return;
  lastRetry = Date.now();
  listen();
}

/** Begins once; never ends while the page is open. */
export function start() {
  lastTick = Date.now();
  lastRetry = lastTick;
  void readOnce();
  void readFirst();
  listen();
  setInterval(() => {
    if (Date.now() - lastTick < silence) return;
    if (!document.hidden) void poll();
  }, 1_000);
}

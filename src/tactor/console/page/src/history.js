// SPDX-License-Identifier: BSL-1.0
// Makes what charts show of the points of the history: counters are totals, charts show rates.
import { wallTime } from './live.js';

export const spans = [['1 min', 60], ['5 min', 300], ['15 min', 900]];

/** The points of the last `seconds`, and one before them for the first rate. */
export function lastOf(points, seconds) {
  const end = points.at(-1)?.time_ns ?? 0;
  const first = points.findIndex((each) => each.time_ns >= end - seconds * 1e9);
  return points.slice(Math.max(0, first - 1));
}

/** One point for each `seconds`: rates of rare events are read over longer times. */
export function thin(points, seconds) {
  const slot = (each) => Math.floor(each.time_ns / (seconds * 1e9));
  return points.filter((each, i) => i === points.length - 1 || slot(each) !== slot(points[i + 1]));
}

export const timesOf = (points) => points.map((each) => wallTime(each.time_ns) / 1000);

/** Per second, between each point and the one before it. */
export function rateOf(points, name) {
  return points.map((each, i) => {
    const before = points[i - 1];
    if (!before || each[name] === null || before[name] === null) return null;
    return Math.max(0, (each[name] - before[name]) / ((each.time_ns - before.time_ns) / 1e9));
  });
}

export const valueOf = (points, name) => points.map((each) => each[name] ?? null);

/** The busy share of each worker between two ticks; since its start where there is only one. */
export function busyShares(now, before) {
  const old = new Map((before?.workers ?? []).map((each) => [each.name, each]));
  return now.workers.map((each) => {
    const from = old.get(each.name) ?? { busy_ns: 0, idle_ns: 0 };
    const busy = each.busy_ns - from.busy_ns;
    const all = busy + each.idle_ns - from.idle_ns;
    return { name: each.name, share: all > 0 ? Math.min(1, Math.max(0, busy / all)) : 0 };
  });
}

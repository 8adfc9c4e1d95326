// SPDX-License-Identifier: BSL-1.0
// Reads Chrome trace JSON: complete events (X, or B with E) on tracks, and flows (s, f) between them.

/** Returns: `tracks` with names and spans sorted by time, the `names` of spans, `flows`, `begin` and `end` in microseconds. */
export function modelOf(trace) {
  const events = Array.isArray(trace) ? trace : (trace.traceEvents ?? []);
  const names = new Map();
  const tracks = new Map();
  const open = new Map();
  const starts = new Map();
  const flows = [];
  const track = (e) => {
    const id = `${e.pid}/${e.tid}`;
    if (!tracks.has(id)) tracks.set(id, { id, spans: [] });
    return tracks.get(id);
  };
  const span = (e, end) => track(e).spans.push({ name: e.name, category: e.cat, from: e.ts, to: end, args: e.args ?? {} });
  for (const e of events) {
    const id = `${e.pid}/${e.tid}`;
    if (e.ph === 'M' && e.name === 'thread_name') names.set(id, e.args?.name);
    else if (e.ph === 'X') span(e, e.ts + (e.dur ?? 0));
    else if (e.ph === 'B') open.set(id, [...(open.get(id) ?? []), e]);
    else if (e.ph === 'E') {
      const begun = open.get(id)?.pop();
      if (begun) span(begun, e.ts);
    } else if (e.ph === 's') starts.set(e.id, { track: id, at: e.ts });
    else if (e.ph === 'f' && starts.has(e.id)) flows.push({ from: starts.get(e.id), to: { track: id, at: e.ts } });
  }
  const list = [...tracks.values()].sort((a, b) => a.id.localeCompare(b.id, undefined, { numeric: true }));
  let begin = Infinity;
  let end = -Infinity;
  for (const each of list) {
    each.name = names.get(each.id) ?? `track ${each.id}`;
    each.spans.sort((a, b) => a.from - b.from);
    for (const one of each.spans) {
      begin = Math.min(begin, one.from);
      end = Math.max(end, one.to);
    }
  }
  const kinds = [...new Set(list.flatMap((each) => each.spans.map((one) => one.name)))].sort();
  return { tracks: list, flows, names: kinds, begin: begin === Infinity ? 0 : begin, end: end === -Infinity ? 1 : end };
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** What the trace has of the messages that an actor handled, by their type, the most frequent first. */
export function byType(model, actor) {
  const types = new Map();
  for (const track of model.tracks) {
    for (const span of track.spans) {
      if (span.args.actor !== actor) continue;
      if (!types.has(span.name)) types.set(span.name, { times: [], waits: [], failed: 0 });
      const type = types.get(span.name);
      if (span.args.failed) type.failed += 1;
      if (span.category === 'resumed') continue;  // a coroutine goes on: its message was counted when it began
      type.times.push((span.to - span.from) * 1000);
      if (typeof span.args.waited_ns === 'number') type.waits.push(span.args.waited_ns);
    }
  }
  const rows = [...types].map(([message, { times, waits, failed }]) => {
    times.sort((a, b) => a - b);
    return { message, handled: times.length, handler_p50_ns: at(times, 0.5), handler_p99_ns: at(times, 0.99), longest_wait_ns: waits.reduce((a, b) => Math.max(a, b), -1), failed };
  });
  for (const each of rows) if (each.longest_wait_ns < 0) each.longest_wait_ns = null;
  return rows.sort((a, b) => b.handled - a.handled || a.message.localeCompare(b.message));
}

export function longest(model, most) {
  return model.tracks
    .flatMap((track) => track.spans.map((span) => ({ ...span, track: track.name })))
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, most);
}

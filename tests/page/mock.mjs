// SPDX-License-Identifier: BSL-1.0
// The console's HTTP interface over a made-up system, for work on the page and for the case with 100 000 actors.
//
//   node tests/page/mock.mjs [ACTORS] [PORT]     the token is "secret"
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { MockSystem } from './mock_system.mjs';

const dist = new URL('../../src/tactor/console/page/dist/', import.meta.url);
const kinds = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function page(response, name) {
  try {
    const body = readFileSync(new URL(name, dist));
    response.writeHead(200, { 'Content-Type': kinds[name.split('.').at(-1)], 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff' });
    response.end(body);
  } catch {
    refuse(response, 404, 'There is no such page.');
  }
}

function json(response, body, status = 200) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
const refuse = (response, status, error, advice = '') => json(response, { error, advice }, status);

function partOf(system, part, query) {
  const head = { version: 1, part, time_ns: Math.round(system.now()) };
  const parts = {
    system: () => system.system(),
    actors: () => system.list(query),
    actor: () => system.actor(query),
    tree: () => system.tree(query),
    workers: () => system.workers(),
    timers: () => system.timers(),
    dead_letters: () => system.deadLetters(),
    failures: () => system.failures(),
    warnings: () => ({ warnings: system.warnings() }),
    shutdown: () => system.shutdown(),
    history: () => ({ step_ns: 1e9, points: system.points }),
    console: () => ({ capabilities: ['inspect', 'trace', 'control', 'lifecycle'], program_actions: [{ name: 'flood', description: 'every device sends 200 readings' }], token_required: true, system: 'gateway', pid: 4711, started_ns: 0, metrics_level: 'system', log_level: 'warning' }),
  };
  return parts[part] ? { ...head, ...parts[part]() } : null;
}

function tick(system) {
  const of = (part) => partOf(system, part, {});
  return { version: 1, part: 'tick', time_ns: Math.round(system.now()), lost: 0, system: of('system'), workers: of('workers'), warnings: system.warnings(), point: system.pointAt(system.now()) };
}

function events(system, response, ticks) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.flushHeaders();
  if (!ticks) return;
  const send = () => response.write(`event: tick\ndata: ${JSON.stringify(tick(system))}\n\n`);
  send();
  const timer = setInterval(send, 1000);
  response.on('close', () => clearInterval(timer));
}

async function act(system, request, response, what) {
  if (request.headers.authorization !== 'Bearer secret') return refuse(response, 401, 'The token is missing or wrong.', 'Enter the token that the program printed.');
  let body = '';
  for await (const piece of request) body += piece;
  if (what === 'settings' || what === 'trace') return json(response, { version: 1, done: what });
  if (what === 'run') {
    system.started.push(JSON.parse(body).name);
    return json(response, { version: 1, done: what });
  }
  const done = system.act(what, JSON.parse(body));
  return done ? json(response, { version: 1, ...done }) : refuse(response, 404, 'There is no such actor.');
}

/** `options.events` false: no event stream, so the page must poll; `options.ticks` false: the event stream stays silent; `options.trace` false: 501. */
export function startMock({ actors = 40, port = 0, events: hasEvents = true, ticks = true, trace = true } = {}) {
  const system = new MockSystem(actors);
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const part = url.pathname.replace('/api/v1/', '');
    const query = Object.fromEntries(url.searchParams);
    for (const name of ['offset', 'limit', 'depth']) if (query[name]) query[name] = Number(query[name]);
    if (url.pathname === '/') return page(response, 'index.html');
    if (url.pathname.startsWith('/assets/')) return page(response, url.pathname.slice(8));
    if (request.method === 'POST') return act(system, request, response, part);
    if (part === 'events') return hasEvents ? events(system, response, ticks) : refuse(response, 404, 'There are no events.');
    if (part === 'trace') return trace ? json(response, system.trace()) : refuse(response, 501, 'Tracing is not built in.');
    const answer = partOf(system, part, query);
    return answer ? json(response, answer) : refuse(response, 404, 'There is no such part.');
  });
  return new Promise((ready) => server.listen(port, '127.0.0.1', () => ready({
    system,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => { server.closeAllConnections(); server.close(closed); }),
  })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startMock({ actors: Number(process.argv[2] ?? 40), port: Number(process.argv[3] ?? 8080) });
  console.log(url);
}

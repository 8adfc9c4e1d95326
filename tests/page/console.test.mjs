// SPDX-License-Identifier: BSL-1.0
// The page over a real program: what the server gives is what the page shows.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { launch, open, picture, quit, withPage } from './browser.mjs';

const program = process.env.TACTOR_PAGE_PROGRAM;
const skip = program ? false : 'TACTOR_PAGE_PROGRAM does not name the program';
const token = 'secret-of-the-test';
let running = null;
let url = '';

before(async () => {
  if (skip) return;
  running = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  url = await new Promise((found, failed) => {
    running.stdout.once('data', (line) => found(String(line).trim().replace(/\/$/, '')));
    running.once('exit', (status) => failed(new Error(`the program ended with ${status}`)));
  });
  running.removeAllListeners('exit');
  await launch();
});
after(async () => {
  if (skip) return;
  await quit();
  const ended = new Promise((done) => running.once('exit', done));
  running.stdin.end();
  assert.equal(await ended, 0);
});

const read = async (part) => (await fetch(`${url}/api/v1/${part}`)).json();

/** The status of a request with headers that a browser would not let a page set. */
function statusWith(headers, { method = 'GET', path = '/api/v1/system', body } = {}) {
  const { hostname, port } = new URL(url);
  return new Promise((done, failed) => {
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

test('each screen shows what the program does', { skip }, () => withPage(url, async (page) => {
  await page.getByText('gateway', { exact: true }).first().waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText('worker-1').waitFor();
  await page.getByRole('img', { name: /^Messages per second\..*handled: now \d/ }).waitFor();
  await picture(page, 'overview');
  await open(page, 'Actors');
  await page.getByRole('link', { name: '/user/front/parser-3' }).waitFor();
  await page.getByRole('columnheader', { name: 'Waiting' }).getByRole('button').click();
  await page.locator('th[aria-sort=descending]').waitFor();
  await picture(page, 'actors');
  await open(page, 'Tree');
  await page.getByRole('button', { name: 'Open /user/front' }).click();
  await page.getByRole('treeitem').getByRole('link', { name: '/user/front/parser-3' }).waitFor();
  await picture(page, 'tree');
  await open(page, 'Timers');
  await page.getByRole('img', { name: /slots hold \d+ timers/ }).waitFor();
  await page.getByText('Fixed rate').first().waitFor();
  await picture(page, 'timers');
  await open(page, 'Dead letters');
  await page.getByText('Per second').first().waitFor();
  await page.getByRole('row').nth(1).waitFor();
  await picture(page, 'dead_letters');
  await open(page, 'Failures');
  await page.getByText('the <checksum> is wrong').first().waitFor();
  await picture(page, 'failures');
  await open(page, 'Shutdown');
  await page.getByRole('listitem').and(page.locator('[aria-current=step]')).getByText('running').waitFor();
  await page.getByRole('link', { name: '/user/desk' }).first().waitFor();
  await picture(page, 'shutdown');
  await open(page, 'Trace');
  await page.getByRole('button', { name: 'Start' }).waitFor();
}));

test('figures change without a reload', { skip }, () => withPage(url, async (page) => {
  const total = async () => Number((await page.locator('.tile').filter({ hasText: 'Handled' }).locator('.note').textContent()).replace(/\D/g, ''));
  await page.locator('.tile').filter({ hasText: 'Handled' }).waitFor();
  const first = await total();
  await page.waitForFunction((old) => {
    const note = [...document.querySelectorAll('.tile')].find((each) => each.textContent.startsWith('Handled')).querySelector('.note');
    return Number(note.textContent.replace(/\D/g, '')) > old;
  }, first);
  assert.ok(await total() > first);
}));

test('an actor is suspended and resumed from the page', { skip }, () => withPage(`${url}/#/actor?path=%2Fuser%2Fdesk`, async (page) => {
  const state = async () => (await read('actor?path=/user/desk')).actor.state;
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('User defined').waitFor();
  assert.equal(await state(), 'suspended');
  await page.getByRole('table', { name: 'Timers' }).getByRole('cell', { name: 'reading' }).first().waitFor();
  assert.deepEqual((await read('actor?path=/user/desk')).watchers, []);
  await picture(page, 'actor');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Resume', disabled: true }).waitFor();
  assert.notEqual(await state(), 'suspended');
}));

test('an actor is stopped from the page, after a question', { skip }, () => withPage(`${url}/#/actor?path=%2Fuser%2Ffront%2Fparser-2`, async (page) => {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText('/user/front/parser-2 has stopped.').waitFor();
}));

test('a wrong token is refused, and the page says so', { skip }, () => withPage(`${url}/#/actor?path=%2Fuser%2Fdesk`, async (page) => {
  await page.getByLabel('Token', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.locator('.actions .bad').waitFor();
  assert.notEqual((await read('actor?path=/user/desk')).actor.state, 'suspended');
}, { allow: /401/ }));

test('the level of the metrics is changed from the page', { skip }, () => withPage(url, async (page) => {
  await page.getByRole('button', { name: 'Enter token' }).click();
  await page.getByRole('dialog').getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByLabel('metrics').selectOption('system');
  await page.waitForFunction(async () => (await (await fetch('/api/v1/system')).json()).metrics_level === 'system');
  await page.getByLabel('metrics').selectOption('actor');
  await page.waitForFunction(async () => (await (await fetch('/api/v1/system')).json()).metrics_level === 'actor');
}));

test('requests under another name or from another page are refused', { skip }, async () => {
  const { host, origin } = new URL(url);
  assert.equal(await statusWith({ Host: host }), 200);
  assert.equal(await statusWith({ Host: host, Origin: origin }), 200);
  assert.equal(await statusWith({ Host: 'evil.example' }), 403);
  assert.equal(await statusWith({ Host: `evil.example:${new URL(url).port}` }), 403);
  assert.equal(await statusWith({ Host: host, Origin: 'http://evil.example' }), 403);
  assert.equal(await statusWith({ Host: host, Origin: 'null' }), 403);
  const post = { method: 'POST', path: '/api/v1/suspend', body: '{"path":"/user/store"}' };
  const json = { Host: host, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  assert.equal(await statusWith({ ...json, Origin: 'http://evil.example' }, post), 403);
  assert.equal(await statusWith({ ...json, Host: 'evil.example' }, post), 403);
  assert.notEqual((await read('actor?path=/user/store')).actor.state, 'suspended');
});

test('a page of another origin cannot read or act, even with the token', { skip }, async () => {
  const { createServer } = await import('node:http');
  const evil = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>evil</title>'));
  await new Promise((ready) => evil.listen(0, '127.0.0.1', ready));
  try {
    await withPage(`http://127.0.0.1:${evil.address().port}`, async (page) => {
      const outcome = (target, options) => page.evaluate(([to, how]) => fetch(to, how).then((answer) => answer.status, () => 'blocked'), [target, options]);
      assert.equal(await outcome(`${url}/api/v1/system`, {}), 'blocked');
      const act = { method: 'POST', body: '{"path":"/user/store"}', headers: { Authorization: `Bearer ${token}` } };
      assert.equal(await outcome(`${url}/api/v1/suspend`, act), 'blocked');
    }, { allow: /./ });
  } finally {
    evil.closeAllConnections();
    evil.close();
  }
  assert.notEqual((await read('actor?path=/user/store')).actor.state, 'suspended');
});

test('the page has a policy that allows nothing but its own files', { skip }, async () => {
  const answer = await fetch(`${url}/`);
  assert.match(answer.headers.get('content-security-policy'), /default-src 'self'|default-src 'none'/);
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
});

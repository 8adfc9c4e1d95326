// SPDX-License-Identifier: BSL-1.0
// The page over a made-up system: each screen, keys, a broken connection, 100 000 actors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, picture, quit, withPage } from './browser.mjs';
import { startMock } from './mock.mjs';

before(launch);
after(quit);

async function withMock(options, use) {
  const mock = await startMock(options);
  try {
    await use(mock);
  } finally {
    await mock.close();
  }
}

const cell = (page, row, text) => page.getByRole('row').filter({ hasText: row }).getByText(text).first();

test('each screen shows its part of the system', () => withMock({ actors: 400 }, ({ url }) => withPage(url, async (page) => {
  await page.getByText('Suspended long').waitFor();
  await page.getByText('worker-3').waitFor();
  await page.getByRole('link', { name: '/user/store' }).first().waitFor();
  assert.match(await page.getByRole('img', { name: /^Messages per second\./ }).getAttribute('aria-label'), /handled: now .+, lowest .+, highest /);
  await picture(page, 'mock-overview');
  await open(page, 'Actors');
  await page.getByText('1 – 100 of 400').waitFor();
  await page.getByRole('button', { name: 'Oldest' }).click();
  await cell(page, '/user/store', '73.0').waitFor();
  await open(page, 'Tree');
  await page.getByRole('button', { name: 'Open /user/gateway' }).click();
  await page.getByRole('treeitem').getByRole('link', { name: '/user/gateway/parser-7' }).waitFor();
  await open(page, 'Timers');
  await page.getByRole('img', { name: 'Timer wheel: 371 of 4096 slots hold 410 timers; 2 are due later than one turn.' }).waitFor();
  assert.equal(await page.locator('.wheel .slot').count(), 120);
  assert.ok(await page.locator('.wheel .slot.used').count() > 90);
  await open(page, 'Dead letters');
  await page.getByRole('cell', { name: 'Mailbox full' }).waitFor();
  await page.getByRole('link', { name: '/user/devices/device-37', exact: true }).waitFor();
  await open(page, 'Failures');
  await page.getByText('the checksum of the frame is wrong').first().waitFor();
  await open(page, 'Trace');
  await page.getByRole('button', { name: 'Read the last one' }).click();
  await page.getByRole('img', { name: /handlers on 4 tracks/ }).waitFor();
  await page.getByRole('link', { name: '/user/gateway/parser-3' }).first().waitFor();
  await picture(page, 'mock-trace');
  await open(page, 'Shutdown');
  await page.getByText('What holds it').waitFor();
  await cell(page, '/user/store', 'Backpressure').waitFor();
})));

test('an actor is shown before the first tick has come', () => withMock({ actors: 40, ticks: false }, ({ url }) => withPage(`${url}/#/actor?path=%2Fuser%2Fgateway%2Fparser-3`, async (page) => {
  await page.getByText(/^\d\d:\d\d:\d\d$/).first().waitFor();
  await page.getByRole('img', { name: /^Waiting messages\. .*now/ }).hover();
  await page.getByRole('button', { name: 'Read the last trace' }).click();
  await page.getByRole('table', { name: 'Message types of /user/gateway/parser-3' }).waitFor();
})));

test('an actor shows its message types of the last trace', () => withMock({ actors: 40 }, ({ url }) => withPage(`${url}/#/actor?path=%2Fuser%2Fgateway%2Fparser-3`, async (page) => {
  await page.getByRole('button', { name: 'Read the last trace' }).click();
  const table = page.getByRole('table', { name: 'Message types of /user/gateway/parser-3' });
  for (const type of ['frame', 'reading', 'write_reading', 'heartbeat']) await table.getByRole('cell', { name: type, exact: true }).waitFor();
  await table.getByRole('columnheader', { name: 'Handler p99' }).waitFor();
  const counts = await table.locator('tbody tr td:nth-child(2)').allTextContents();
  assert.deepEqual(counts.map(Number), counts.map(Number).sort((a, b) => b - a));
})));

test('an actor shows its timers by their due time, and its watchers while no worker runs it', () => withMock({ actors: 40 }, ({ url }) => withPage(`${url}/#/actor?path=%2Fuser%2Fgateway`, async (page) => {
  const rows = page.getByRole('table', { name: 'Timers' }).locator('tbody tr');
  await rows.nth(2).waitFor();
  const texts = await rows.allTextContents();
  assert.match(texts[0], /flush.*waits.*once/);
  assert.match(texts[1], /own deadline.*1(\.0+)?\s*s.*once/);
  assert.match(texts[2], /heartbeat.*beat.*2\.5\d*\s*s.*5(\.0+)?\s*s/);
  assert.equal(await page.getByText('A worker runs the actor: seen when it is idle or suspended.').count(), 2);
  await page.goto(`${url}/#/actor?path=%2Fuser%2Fstore`);
  await page.getByRole('link', { name: '/user/pager' }).waitFor();
  assert.equal(await page.getByText('A worker runs the actor: seen when it is idle or suspended.').count(), 0);
})));

test('text of the system is never HTML', () => withMock({ actors: 40 }, ({ url }) => withPage(`${url}/#/actors`, async (page) => {
  await page.getByText('<img src=x onerror=alert(1)>').click();
  await page.getByRole('heading', { name: '/user/<img src=x onerror=alert(1)>' }).waitFor();
  assert.equal(await page.locator('main img').count(), 0);
})));

test('the list is sorted and filtered by the server', () => withMock({ actors: 400 }, ({ url }) => withPage(`${url}/#/actors`, async (page) => {
  const first = page.locator('tbody tr').first();
  await page.getByRole('button', { name: 'Waiting' }).click();
  await page.getByRole('columnheader', { name: 'Waiting' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await first.getByText('/user/store').waitFor();
  await page.getByLabel('State').selectOption('suspended');
  await page.getByText('1 – 2 of 2').waitFor();
  await page.getByLabel('State').selectOption('');
  await page.getByPlaceholder('Filter by a part of the path').fill('parser-');
  await page.getByText('1 – 8 of 8').waitFor();
})));

test('what is typed while the list is filtered is kept', () => withMock({ actors: 400 }, ({ url }) => withPage(`${url}/#/actors`, async (page) => {
  const field = page.getByPlaceholder('Filter by a part of the path');
  await field.waitFor();
  // The rest is typed in the moment in which the address changes, before the page is drawn again.
  await field.evaluate((input) => {
    const type = (text) => {
      input.value += text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    };
    addEventListener('hashchange', () => type('ser-'), { once: true });
    type('par');
  });
  await page.getByText('1 – 8 of 8').waitFor();
  assert.equal(await field.inputValue(), 'parser-');
})));

test('text that was typed does not lead back to a screen that was left', () => withMock({ actors: 400 }, ({ url }) => withPage(`${url}/#/actors`, async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 12 });  // the text would be sent before the next screen is drawn
  const field = page.getByPlaceholder('Filter by a part of the path');
  await field.waitFor();
  await field.evaluate((input) => {
    input.value = 'parser-';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    location.hash = '#/timers';
  });
  await page.getByRole('heading', { level: 1, name: 'Timers' }).waitFor();
  await page.waitForTimeout(300);  // twice the time after which the text would be sent
  assert.match(page.url(), /#\/timers$/);
})));

test('the key / on another screen waits for the filter', () => withMock({ actors: 400 }, ({ url }) => withPage(`${url}/#/timers`, async (page) => {
  let answer = () => {};
  const asked = new Promise((resolve) => {
    void page.route('**/api/v1/actors?**', async (route) => {
      resolve();
      await new Promise((go) => { answer = go; });
      await route.continue();
    }, { times: 1 });
  });
  await page.getByRole('heading', { level: 1, name: 'Timers' }).waitFor();
  await page.keyboard.press('/');
  await asked;
  await page.waitForTimeout(100);  // longer than a fixed pause before the focus would be
  answer();
  await page.locator('[data-filter]:focus').waitFor();
})));

test('every screen and the list can be used with keys', () => withMock({ actors: 400 }, ({ url }) => withPage(url, async (page) => {
  const at = () => page.evaluate(() => document.activeElement.textContent);
  for (const [key, name] of ['Overview', 'Actors', 'Tree', 'Timers', 'Dead letters', 'Failures', 'Trace', 'Shutdown'].entries()) {
    await page.keyboard.press(String(key + 1));
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await page.keyboard.press('2');
  await page.getByText('1 – 100 of 400').waitFor();
  await page.keyboard.press(']');
  await page.getByText('101 – 200 of 400').waitFor();
  await page.keyboard.press('[');
  await page.getByText('1 – 100 of 400').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('parser-');
  await page.getByText('1 – 8 of 8').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  assert.equal(await at(), '/user/gateway/parser-0');
  await page.keyboard.press('ArrowDown');
  assert.equal(await at(), '/user/gateway/parser-1');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '/user/gateway/parser-1' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
})));

test('a screen reader finds landmarks, heads of tables, and warnings', () => withMock({ actors: 400 }, ({ url }) => withPage(url, async (page) => {
  for (const role of ['main', 'navigation', 'complementary']) await page.getByRole(role).first().waitFor();
  await page.locator('[aria-live=polite]').getByText('Hot dead letter').waitFor();
  await open(page, 'Actors');
  await page.getByText('1 – 100 of 400').waitFor();
  assert.equal(await page.locator('th:not([scope])').count(), 0);
  const unnamed = await page.locator('button, a, input, select').evaluateAll((all) => all.filter((each) => !each.textContent.trim() && !each.getAttribute('aria-label') && !each.labels?.length).length);
  assert.equal(unnamed, 0);
})));

test('dark as the operating system says', () => withMock({ actors: 400 }, ({ url }) => withPage(url, async (page) => {
  await page.getByText('Suspended long').waitFor();
  const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(back, 'rgb(14, 18, 24)');
  await picture(page, 'mock-overview-dark');
}, { colorScheme: 'dark' })));

test('an actor is suspended and resumed; a wrong token is explained', () => withMock({ actors: 40 }, ({ url, system }) => withPage(`${url}/#/actor?path=%2Fuser%2Fgateway`, async (page) => {
  const state = () => system.actors.find((each) => each.path === '/user/gateway').state;
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('The token is missing or wrong.').waitFor();
  assert.equal(state(), 'running');
  await page.getByLabel('Token', { exact: true }).fill('secret');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('User defined').waitFor();
  assert.equal(state(), 'suspended');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Resume', disabled: true }).waitFor();
  assert.equal(state(), 'running');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.getByText('/user/gateway has stopped.').waitFor();
}, { allow: /401/ })));

test('an action of the program is started', () => withMock({ actors: 40 }, ({ url, system }) => withPage(url, async (page) => {
  await page.getByRole('button', { name: 'flood' }).click();
  await page.getByText('The token is missing or wrong.').waitFor();
  assert.deepEqual(system.started, []);
  await page.getByRole('button', { name: 'Enter token' }).click();
  await page.getByLabel('Token', { exact: true }).fill('secret');
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('button', { name: 'flood' }).click();
  await page.getByText('flood: done.').waitFor();
  assert.deepEqual(system.started, ['flood']);
}, { allow: /401/ })));

test('without an event stream the page polls', () => withMock({ actors: 40, events: false }, ({ url }) => withPage(url, async (page) => {
  await page.getByText('Live, by polling').waitFor();
  await page.getByText('Suspended long').waitFor();
}, { allow: /404/ })));

test('a program that ends is noticed, and found again', async () => {
  const first = await startMock({ actors: 40 });
  await withPage(first.url, async (page) => {
    await page.getByText('Live', { exact: true }).waitFor();
    await first.close();
    await page.getByText('The program does not answer').waitFor();
    await withMock({ actors: 44, port: Number(new URL(first.url).port) }, () => page.getByText('Live', { exact: true }).waitFor());
  }, { allow: /Failed to (load|fetch)|ERR_/ });
});

test('a program without tracing gets a plain sentence', () => withMock({ actors: 40, trace: false }, ({ url }) => withPage(`${url}/#/trace`, async (page) => {
  await page.getByRole('button', { name: 'Read the last one' }).click();
  await page.getByText('This version of the program does not record traces yet.').waitFor();
}, { allow: /501/ })));

test('100 000 actors: few nodes, no long pause', () => withMock({ actors: 100_000 }, ({ url }) => withPage(`${url}/#/actors`, async (page) => {
  await page.evaluate(() => {
    window.pauses = [];
    new PerformanceObserver((list) => window.pauses.push(...list.getEntries().map((each) => each.duration))).observe({ type: 'longtask' });
  });
  await page.getByText(/1 – 100 of 100.000/).waitFor();
  for (const text of ['device-99', 'device-1', 'parser']) {
    await page.getByPlaceholder('Filter by a part of the path').fill(text);
    await page.waitForFunction((wanted) => [...document.querySelectorAll('tbody .path')].every((each) => each.textContent.includes(wanted)), text);
  }
  await page.getByPlaceholder('Filter by a part of the path').fill('');
  await page.getByText(/1 – 100 of 100.000/).waitFor();
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('PageDown');
  await open(page, 'Tree');
  await page.getByRole('button', { name: 'Open /user/devices' }).click();
  await page.getByText('more.').waitFor();
  await open(page, 'Timers');
  await page.getByText(/100 of 20.000: behind, or due next/).waitFor();
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(nodes < 5_000, `${nodes} elements`);
  const pauses = await page.evaluate(() => window.pauses);
  assert.ok(Math.max(0, ...pauses) < 1_000, `pauses of ${pauses} ms`);
})));

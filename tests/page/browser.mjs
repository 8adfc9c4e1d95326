// SPDX-License-Identifier: BSL-1.0
// A page in a real browser that notes what must not happen: errors, and requests to anywhere else.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const packages = process.env.TACTOR_PAGE_PACKAGES ?? join(root, 'build/page');
const pictures = process.env.TACTOR_PAGE_PICTURES ?? join(root, 'build/page/pictures');
const { chromium } = createRequire(join(packages, 'x.js'))('playwright-core');

let browser = null;
export async function launch() {
  const executablePath = process.env.TACTOR_CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}
export const quit = () => browser.close();

/** Runs `use` with a new page at `url`, and fails for what the page must not do. `allow`: errors that are expected. */
export async function withPage(url, use, { allow = /^$/, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme, timezoneId: 'UTC' });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const { origin } = new URL(url);
  const wrong = [];
  const note = (text) => allow.test(text) || wrong.push(text);
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && note(message.text()));
  page.on('pageerror', (error) => note(error.message));
  page.on('request', (request) => request.url().startsWith(origin) || request.url().startsWith('blob:') || note(`request to ${request.url()}`));
  await page.goto(url);
  try {
    await use(page);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

export async function picture(page, name) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Goes to a screen by its key in the navigation, and waits for its heading. */
export async function open(page, screen) {
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

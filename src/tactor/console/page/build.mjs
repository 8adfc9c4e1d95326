// SPDX-License-Identifier: BSL-1.0
// Bundles the page: node build.mjs NODE_MODULES OUT. The output depends on the sources and the lock file only.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [packages, out] = process.argv.slice(2).map((each) => resolve(each));
const source = join(dirname(fileURLToPath(import.meta.url)), 'src');
const esbuild = createRequire(join(packages, 'x.js'))('esbuild');

/** The licences of what is bundled ask for their text to be in it. */
const licences = ['preact', 'uplot'].map((name) => {
  const { version } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  return `${name} ${version}\n\n${readFileSync(join(packages, name, 'LICENSE'), 'utf8').trim()}\n`;
});

mkdirSync(out, { recursive: true });
await esbuild.build({
  absWorkingDir: source,
  entryPoints: { app: 'main.jsx' },
  outdir: out,
  nodePaths: [packages],
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome110', 'firefox110', 'safari16'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  legalComments: 'none',
  banner: { js: `/* tactor's console, BSL-1.0. It contains:\n\n${licences.join('\n')}*/` },
});
for (const each of ['index.html', 'icon.svg']) copyFileSync(join(source, each), join(out, each));

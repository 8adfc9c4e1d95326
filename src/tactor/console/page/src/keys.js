// SPDX-License-Identifier: BSL-1.0
// Keys that work on every screen, unless text is being typed.
import { requestFilter } from './filter_request.js';
import { go } from './route.js';
import { screens } from './screens.js';
import { toggle } from './theme.js';

export const keys = [
  ['1 … 8', 'Go to a screen'],
  ['/', 'Filter actors'],
  ['↑ ↓', 'Move between the rows of a table'],
  ['[ ]', 'Previous or next page of a table'],
  ['t', 'Light or dark'],
  ['?', 'Show this list'],
  ['Esc', 'Close a dialog, leave a field'],
];

function focusFilter() {
  const field = document.querySelector('[data-filter]');
  if (field) {
    field.focus();
    field.select();
    return;
  }
  requestFilter();
  go('actors');
}

/** From a row's link to that of the next row. */
function moveRow(by) {
  const links = [...document.querySelectorAll('main tbody tr a.path, main [role=treeitem] > .node a.path')];
  if (links.length === 0) return false;
  const at = links.indexOf(document.activeElement);
  links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + by))].focus();
  return true;
}

const clickPager = (name) => {
  document.querySelector(`[data-pager=${name}]`)?.click();
  return true;
};

function act(key, showHelp) {
  const screen = screens.find((each) => each.key === key);
  if (screen) return go(screen.name) ?? true;
  if (key === '/') return focusFilter() ?? true;
  if (key === 't') return toggle() ?? true;
  if (key === '?') return showHelp() ?? true;
  if (key === '[' || key === ']') return clickPager(key === '[' ? 'previous' : 'next');
  if (key === 'ArrowDown' || key === 'ArrowUp') return moveRow(key === 'ArrowDown' ? 1 : -1);
  return false;
}

/** Returns: how to end it. */
export function onKey(showHelp) {
  const pressed = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
    const typing = event.target.matches?.('input, select, textarea');
    if (typing) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (act(event.key, showHelp)) event.preventDefault();
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}

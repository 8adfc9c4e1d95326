// SPDX-License-Identifier: BSL-1.0
// Light or dark: as the operating system says, unless the switch was used.
import { useEffect, useState } from 'preact/hooks';

const key = 'tactor.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const current = () => localStorage.getItem(key) ?? (dark.matches ? 'dark' : 'light');

export function apply() {
  document.documentElement.dataset.theme = current();
  dispatchEvent(new Event('theme'));
}

export function toggle() {
  localStorage.setItem(key, current() === 'dark' ? 'light' : 'dark');
  apply();
}

export function useTheme() {
  const [theme, setTheme] = useState(current);
  useEffect(() => {
    const changed = () => setTheme(current());
    addEventListener('theme', changed);
    return () => removeEventListener('theme', changed);
  }, []);
  return theme;
}

dark.addEventListener('change', apply);

// SPDX-License-Identifier: BSL-1.0
// The screen and its parameters are in the fragment of the address: #/actors?state=suspended
import { useEffect, useState } from 'preact/hooks';

function read() {
  const [screen, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { screen: screen || 'overview', parameters: Object.fromEntries(new URLSearchParams(query ?? '')) };
}

export function hrefOf(screen, parameters = {}) {
  const used = Object.entries(parameters).filter(([, value]) => value !== '' && value !== undefined && value !== 0);
  const query = new URLSearchParams(used).toString();
  return `#/${screen}${query ? `?${query}` : ''}`;
}

export const go = (screen, parameters) => {
  location.hash = hrefOf(screen, parameters);
};

/**
 * Changes the parameters of a screen without an entry in the browser's history: for text that is being typed.
 * Does nothing if the address has left the screen: the page draws the next screen later than the address changes.
 */
export function replace(screen, parameters) {
  if (read().screen !== screen) return;
  history.replaceState(null, '', hrefOf(screen, parameters));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute() {
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const changed = () => setRoute(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

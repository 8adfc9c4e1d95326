// SPDX-License-Identifier: BSL-1.0
// A part of the system that a screen reads again and again while it is shown.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from './api.js';

/**
 * Reads `url` now and every `every` ms, never twice at once, and not while the page is hidden. A slow answer makes the
 * pause longer: the reader takes at most a tenth of the server's time. The old data stay until new ones are there.
 */
export function useResource(url, every = 1_000) {
  const [answer, setAnswer] = useState({ data: null, error: null, url: null });
  const again = useRef(() => {});
  useEffect(() => {
    if (!url) return undefined;
    const abort = new AbortController();
    let timer = 0;
    let busy = false;
    const read = async () => {
      clearTimeout(timer);
      if (busy) return;
      busy = true;
      const begin = performance.now();
      if (!document.hidden) {
        try {
          const data = await get(url, abort.signal);
          setAnswer({ data, error: null, url });
        } catch (error) {
          if (abort.signal.aborted) return;
          setAnswer((old) => ({ data: old.url === url ? old.data : null, error, url }));
        }
      }
      busy = false;
      if (every) timer = setTimeout(read, Math.max(every, 9 * (performance.now() - begin)));
    };
    again.current = read;
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [url, every]);
  const reload = useCallback(() => again.current(), []);
  return { ...answer, stale: answer.url !== url, reload };
}

/** What `pick` gives of the answer before, if it was of the same list; for differences between two answers. */
export function useBefore(data, pick) {
  const kept = useRef({ now: null, before: null, data: null });
  if (data && kept.current.data !== data) kept.current = { before: kept.current.now, now: pick(data), data };
  return kept.current.before;
}

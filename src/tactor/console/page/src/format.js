// SPDX-License-Identifier: BSL-1.0
// Numbers as people read them. Each returns a pair of texts, the number and its unit, so that units can be aligned.

const unknown = ['–', ''];
const isNumber = (n) => typeof n === 'number' && Number.isFinite(n);

/** 1234567 → "1 234 567" with narrow spaces. */
export function count(n) {
  if (!isNumber(n)) return '–';
  return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Three significant digits. */
function digits(n) {
  if (n >= 100) return n.toFixed(0);
  return n >= 10 ? n.toFixed(1) : n.toFixed(2);
}

/** A large number in short: 48.2 k. */
export function short(n) {
  if (!isNumber(n)) return unknown;
  const size = Math.abs(n);
  if (size >= 999.5e6) return [digits(n / 1e9), 'G'];
  if (size >= 999.5e3) return [digits(n / 1e6), 'M'];
  if (size >= 9999.5) return [digits(n / 1e3), 'k'];
  if (size >= 100 || Number.isInteger(n)) return [count(n), ''];
  return [n.toFixed(1), ''];
}

export function duration(ns) {
  if (!isNumber(ns)) return unknown;
  if (ns < 1e3) return [ns.toFixed(0), 'ns'];
  if (ns < 999.5e3) return [digits(ns / 1e3), 'µs'];
  if (ns < 999.5e6) return [digits(ns / 1e6), 'ms'];
  if (ns < 120e9) return [digits(ns / 1e9), 's'];
  if (ns < 7200e9) return [digits(ns / 60e9), 'min'];
  if (ns < 172800e9) return [digits(ns / 3600e9), 'h'];
  return [digits(ns / 86400e9), 'd'];
}

export const bytes = (n) => {
  if (!isNumber(n)) return unknown;
  if (n < 1024) return [count(n), 'B'];
  if (n < 1048576) return [digits(n / 1024), 'KiB'];
  return n < 1073741824 ? [digits(n / 1048576), 'MiB'] : [digits(n / 1073741824), 'GiB'];
};

/** 0.123 → 12.3 %. */
export const share = (x) => (isNumber(x) ? [(100 * x).toFixed(x >= 0.0995 ? 0 : 1), '%'] : unknown);

/** Per second: 48.2 k/s. */
export function perSecond(n) {
  const [number, unit] = short(n);
  return number === '–' ? unknown : [number, `${unit}/s`];
}

/** Without zeros at the end: for the scale of a chart. */
export const round = (text) => text.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');

export const plain = ([number, unit]) => (unit ? `${number}\u202f${unit}` : number);

/** "hot_dead_letter" → "Hot dead letter". */
export function words(name) {
  const text = String(name).replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

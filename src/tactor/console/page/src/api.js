// SPDX-License-Identifier: BSL-1.0
// Calls of the console's HTTP interface.

/** What the server said when it refused. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.error ?? `The console answered ${status}.`);
    this.status = status;
    this.advice = body?.advice ?? '';
  }
}

async function answerOf(response) {
  const text = await response.text();
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    if (response.ok) throw new Refused(response.status, { error: 'The console sent something that is not JSON.' });
  }
  if (!response.ok) throw new Refused(response.status, body);
  return body;
}

/** `/api/v1/PART?…`; parameters that are empty are left out. */
export function urlOf(part, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== '' && value !== undefined && value !== null) query.set(name, value);
  const text = query.toString();
  return `/api/v1/${part}${text ? `?${text}` : ''}`;
}

export async function get(url, signal) {
  return answerOf(await fetch(url, { signal, cache: 'no-store', headers: token() ? authorization() : {} }));
}

export async function post(part, body) {
  return answerOf(
    await fetch(urlOf(part), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization() },
      body: JSON.stringify(body),
    }),
  );
}

// The token is kept for this tab only.
const key = 'tactor.token';
export const token = () => sessionStorage.getItem(key) ?? '';
export function setToken(text) {
  if (text) sessionStorage.setItem(key, text);
  else sessionStorage.removeItem(key);
}
const authorization = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

// SPDX-License-Identifier: BSL-1.0
// What the page may do: capabilities that the program granted, and the token that actions need.
import { useEffect, useRef, useState } from 'preact/hooks';
import { post, setToken, token } from './api.js';
import { readConsole, useLive } from './live.js';

export const may = (state, capability) => state.console?.capabilities?.includes(capability) ?? false;
const actions = ['trace', 'control', 'lifecycle'];
export const mayAnything = (state) => actions.some((each) => may(state, each));

/** A dialog of the browser: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, open, onClose, children }) {
  const element = useRef(null);
  useEffect(() => {
    if (open) element.current.showModal();
    else element.current.close();
  }, [open]);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {open && children}
    </dialog>
  );
}

function TokenForm({ onDone }) {
  const [text, setText] = useState(token());
  const keep = (event) => {
    event.preventDefault();
    setToken(text.trim());
    onDone();
  };
  return (
    <form onSubmit={keep}>
      <p>Actions need the token that the program printed or stored when the console started. It is kept for this tab only.</p>
      <label>
        Token
        <input type="password" autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.target.value)} autofocus />
      </label>
      <div class="buttons">
        <button type="button" onClick={onDone}>Cancel</button>
        <button type="submit" class="primary">Use token</button>
      </div>
    </form>
  );
}

/** In the head of the page: whether actions are possible, and the way to the token. */
export function Access() {
  const state = useLive();
  const [open, setOpen] = useState(false);
  if (!state.console) return null;
  if (!mayAnything(state)) return <span class="access dim" title="The program granted no capability to act.">Read only</span>;
  if (!state.console.token_required) return <span class="access">Actions allowed</span>;
  return (
    <>
      <button type="button" class="access" onClick={() => setOpen(true)}>{token() ? 'Token set' : 'Enter token'}</button>
      <Dialog title="Token for actions" open={open} onClose={() => setOpen(false)}>
        <TokenForm onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

const levels = {
  metrics_level: ['off', 'system', 'actor', 'trace'],
  log_level: ['debug', 'info', 'warning', 'error'],
};

/** A level of the system: text, or a choice where control is granted. */
export function Level({ name, label, value }) {
  const state = useLive();
  const [error, setError] = useState(null);
  if (!value) return null;
  if (!may(state, 'control')) return <span class="level"><span class="dim">{label}</span> {value}</span>;
  const change = (event) => {
    setError(null);
    post('settings', { [name]: event.target.value }).then(readConsole, setError);
  };
  const choices = levels[name].includes(value) ? levels[name] : [value, ...levels[name]];
  return (
    <label class="level">
      <span class="dim">{label}</span>
      <select value={value} onChange={change}>{choices.map((each) => <option key={each}>{each}</option>)}</select>
      {error && <span role="alert" class="bad">{error.message}</span>}
    </label>
  );
}

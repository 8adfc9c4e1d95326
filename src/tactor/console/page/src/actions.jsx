// SPDX-License-Identifier: BSL-1.0
// Suspend, resume, restart, stop: buttons of what the program granted, each with the answer of the server.
import { useState } from 'preact/hooks';
import { Dialog, may } from './access.jsx';
import { post, setToken, token } from './api.js';
import { useLive } from './live.js';

const actions = [
  { name: 'suspend', capability: 'control', done: 'Suspended.', when: (a) => a.state !== 'suspended' },
  { name: 'resume', capability: 'control', done: 'Resumed.', when: (a) => a.state === 'suspended' },
  { name: 'restart', capability: 'lifecycle', done: 'Restarted.', ask: 'The instance is replaced by a fresh one; its mailbox stays.' },
  { name: 'stop', capability: 'lifecycle', done: 'Stopped.', ask: 'The actor and its children stop; messages that wait become dead letters.', tone: 'danger' },
];
const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

function TokenField() {
  const [text, setText] = useState(token());
  const typed = (event) => {
    setText(event.target.value);
    setToken(event.target.value.trim());
  };
  return (
    <form class="token" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="dim">Token</span>
        <input type="password" name="token" value={text} onInput={typed} autocomplete="off" spellcheck={false} />
      </label>
    </form>
  );
}

export function Actions({ actor, onDone }) {
  const live = useLive();
  const [asking, setAsking] = useState(null);
  const [said, setSaid] = useState(null);
  const granted = actions.filter((each) => may(live, each.capability));
  if (granted.length === 0) return <p class="dim">The program granted no actions to the console.</p>;

  const run = async (action) => {
    setAsking(null);
    try {
      await post(action.name, { id: actor.id });
      setSaid({ text: action.done });
    } catch (error) {
      setSaid({ text: `${error.message} ${error.advice}`, bad: true });
    }
    onDone();
  };
  const clicked = (action) => (action.ask ? setAsking(action) : run(action));
  return (
    <div class="actions">
      <div class="buttons">
        {live.console.token_required && <TokenField />}
        {granted.map((each) => (
          <button key={each.name} type="button" class={each.tone} disabled={each.when && !each.when(actor)} onClick={() => clicked(each)}>{title(each.name)}</button>
        ))}
      </div>
      <p role="status" class={said?.bad ? 'bad' : 'dim'}>{said?.text}</p>
      <Dialog title={asking ? `${title(asking.name)} ${actor.path}?` : ''} open={asking !== null} onClose={() => setAsking(null)}>
        <p>{asking?.ask}</p>
        <div class="buttons">
          <button type="button" onClick={() => setAsking(null)} autofocus>Cancel</button>
          <button type="button" class={asking?.tone ?? 'primary'} onClick={() => run(asking)}>{asking && title(asking.name)}</button>
        </div>
      </Dialog>
    </div>
  );
}

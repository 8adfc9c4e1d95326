// SPDX-License-Identifier: BSL-1.0
// Buttons for what the program lets the console start; none without the capability.
import { useState } from 'preact/hooks';
import { may } from './access.jsx';
import { post } from './api.js';
import { useLive } from './live.js';
import { Card } from './parts.jsx';

export function ProgramActions() {
  const live = useLive();
  const [said, setSaid] = useState(null);
  const all = live.console?.program_actions ?? [];
  if (all.length === 0 || !may(live, 'control')) return null;

  const run = async (name) => {
    try {
      await post('run', { name });
      setSaid({ text: `${name}: done.` });
    } catch (error) {
      setSaid({ text: `${error.message} ${error.advice}`, bad: true });
    }
  };
  return (
    <Card title="Program" note="actions of its own">
      <div class="actions">
        <div class="buttons">
          {all.map((each) => <button key={each.name} type="button" title={each.description} onClick={() => run(each.name)}>{each.name}</button>)}
        </div>
        <p role="status" class={said?.bad ? 'bad' : 'dim'}>{said?.text}</p>
      </div>
    </Card>
  );
}

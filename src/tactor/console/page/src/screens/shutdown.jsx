// SPDX-License-Identifier: BSL-1.0
import { urlOf } from '../api.js';
import { count, duration, short } from '../format.js';
import { Card, Depth, Empty, Failed, Path, Quantity, Reasons, State, Tile, Time, Type, Wait } from '../parts.jsx';
import { useResource } from '../resource.js';

const phases = ['running', 'draining', 'stopping', 'stopped'];
const meaning = {
  running: 'The system runs. A shutdown would wait for the actors below.',
  draining: 'No new work is accepted; actors handle what is in their mailboxes.',
  stopping: 'Actors are being stopped, children before their parents.',
  stopped: 'Every actor has stopped.',
};

function Phases({ now }) {
  return (
    <ol class="phases">
      {phases.map((each) => <li key={each} aria-current={each === now ? 'step' : undefined}>{each}</li>)}
    </ol>
  );
}

function Handling({ of }) {
  if (of.length === 0) return <Empty>No worker is in a handler.</Empty>;
  return (
    <table>
      <caption class="hidden">What workers handle now</caption>
      <thead><tr><th scope="col">Worker</th><th scope="col">Actor</th><th scope="col">Message</th></tr></thead>
      <tbody>
        {of.map((each) => <tr key={`${each.on_pool}${each.worker}`}><td>{each.on_pool ? '' : 'outside the pool '}{each.worker}</td><td><Path of={each.actor} /></td><td><Type of={each.message} /></td></tr>)}
      </tbody>
    </table>
  );
}

function Holding({ of }) {
  if (of.length === 0) return <Empty>No actor with a name lives.</Empty>;
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">Actors that still live, those suspended for longest first</caption>
        <thead><tr><th scope="col">Actor</th><th scope="col">State</th><th scope="col">Reason</th><th scope="col" class="number">Suspended for</th><th scope="col" class="number">Waiting</th></tr></thead>
        <tbody>
          {of.map((each) => (
            <tr key={each.id}>
              <td><Path of={each.path} /></td><td><State of={each.state} /></td><td><Reasons of={each.reasons} /></td>
              <td class="number">{each.suspended_for_ns === null ? null : <Time ns={each.suspended_for_ns} />}</td><td class="number"><Depth of={each} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Shutdown() {
  const { data, error } = useResource(urlOf('shutdown', { limit: 100 }));
  if (!data) return <Wait error={error} />;
  const longest = data.holding[0]?.suspended_for_ns;
  return (
    <div class="records">
      {error && <Failed error={error} />}
      <Card title="Phase">
        <Phases now={data.phase} />
        <p>{meaning[data.phase] ?? data.phase}</p>
      </Card>
      <dl class="tiles">
        <Tile label="Actors alive" value={short(data.actors)} />
        <Tile label="Waiting messages" value={short(data.waiting)} />
        <Tile label="Handlers that run" value={short(data.handling.length)} />
        <Tile label="Longest suspension" value={duration(longest ?? undefined)} tone={longest > 60e9 ? 'warn' : ''} />
      </dl>
      <Card title="Handlers that run"><Handling of={data.handling} /></Card>
      <Card title="What holds it" note={data.matching > data.holding.length ? `${count(data.holding.length)} of ${count(data.matching)}` : count(data.matching)} class="grow"><Holding of={data.holding} /></Card>
    </div>
  );
}

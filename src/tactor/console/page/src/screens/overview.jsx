// SPDX-License-Identifier: BSL-1.0
import { useState } from 'preact/hooks';
import { urlOf } from '../api.js';
import { Chart } from '../chart.jsx';
import { bytes, count, duration, perSecond, plain, share, short, words } from '../format.js';
import { busyShares, lastOf, rateOf, spans, timesOf, valueOf } from '../history.js';
import { useLive } from '../live.js';
import { Bar, Card, Depth, Empty, Oldest, Path, Quantity, State, Tile, Type, Wait } from '../parts.jsx';
import { ProgramActions } from '../program_actions.jsx';
import { useResource } from '../resource.js';
import { hrefOf } from '../route.js';
import { useBusyShare } from './actors.jsx';

const lastKnown = (values) => values.findLast((each) => each !== null && each !== undefined);

function Tiles({ points, system }) {
  const two = points.slice(-2);
  const rare = [points.at(-11) ?? points[0], points.at(-1)].filter(Boolean);
  const rate = (name, over = two) => lastKnown(rateOf(over, name));
  const dead = rate('dead_letters', rare);
  const failures = rate('failures', rare);
  const sums = system.sums;
  return (
    <dl class="tiles">
      <Tile label="Handled" value={perSecond(rate('handled'))} note={`${count(sums['actor.messages_handled_total'])} in all`} />
      <Tile label="Latency p99" value={duration(system.latency_p99_ns)} note="from send to handler" />
      <Tile label="Handler p99" value={duration(system.handler_p99_ns)} note="time in a handler" />
      <Tile label="Waiting messages" value={short(system.waiting)} note="in all mailboxes" />
      <Tile label="Actors" value={short(system.actors)} note={`${plain(bytes(sums['actor.registry.memory']))} of cells`} />
      <Tile label="Dead letters" value={perSecond(dead)} note={`${count(sums.dead_letters_total)} in all`} tone={dead >= 1 ? 'warn' : ''} />
      <Tile label="Failures" value={perSecond(failures)} note={`${count(sums['actor.restarts_total'])} restarts in all`} tone={failures >= 1 ? 'bad' : ''} />
    </dl>
  );
}

function Warnings({ of }) {
  return (
    <div aria-live="polite" aria-label="Warnings">
      {of.length === 0 ? <p class="all-well">Nothing looks wrong.</p> : (
        <ul class="warnings">
          {of.map((each) => (
            <li key={each.what + each.evidence}>
              <strong>{words(each.what)}</strong>
              <span>{each.evidence}</span>
              <span class="dim">{each.advice}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Workers({ now, before }) {
  const handling = new Map(now.handling.filter((each) => each.on_pool).map((each) => [each.worker, each]));
  return (
    <ul class="workers">
      {busyShares(now, before).map((each, i) => {
        const job = handling.get(i);
        return (
          <li key={each.name}>
            <span class="name">{each.name.replace(/^tactor-/, '')}</span>
            <Bar share={each.share} tone={each.share > 0.95 ? 'warn' : ''} />
            <span class="number"><Quantity of={share(each.share)} /></span>
            <span class="job">{job ? <><Path of={job.actor} /> <span class="dim"><Type of={job.message} /></span></> : <span class="dim">idle</span>}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** What the actors at the top are sorted by, and what is shown of them. */
const tops = {
  waiting: { title: 'Waiting', value: (a) => a.waiting, show: (a) => <Depth of={a} />, none: 'No messages wait.' },
  oldest: { title: 'Oldest', value: (a) => a.oldest_ns, show: (a) => <Oldest ns={a.oldest_ns} />, none: 'No message is known to wait.' },
  busy: { title: 'Busy', value: (a) => a.busy_ns, show: (a, busy) => <Quantity of={share(busy(a))} />, none: 'The busy share of single actors is measured at metrics level actor.' },
  restarts: { title: 'Restarts', value: (a) => a.restarts, show: (a) => count(a.restarts), none: 'No actor was restarted.' },
};

const choices = Object.entries(tops).map(([order, { title }]) => [title, order]);

function TopActors({ order }) {
  const { data, error, stale } = useResource(urlOf('actors', { order, limit: 11 }), 2_000);
  const busy = useBusyShare(data);
  if (!data || stale) return <Wait error={error} />;
  const top = tops[order];
  const some = data.actors.filter((a) => top.value(a) > 0);
  if (some.length === 0) return <Empty>{top.none}</Empty>;
  return (
    <table class="fixed">
      <caption class="hidden">Actors at the top, by: {top.title}</caption>
      <thead><tr><th scope="col">Actor</th><th scope="col" class="w-state">State</th><th scope="col" class="number w-depth">{top.title}</th></tr></thead>
      <tbody>
        {some.map((each) => (
          <tr key={each.id}><td><Path of={each.path} /></td><td><State of={each.state} /></td><td class="number">{top.show(each, busy)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

function Segments({ label, choices, value, onChange }) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map(([text, each]) => <button key={text} type="button" aria-pressed={value === each} onClick={() => onChange(each)}>{text}</button>)}
    </div>
  );
}

export function Overview() {
  const live = useLive();
  const [seconds, setSeconds] = useState(300);
  const [order, setOrder] = useState('waiting');
  if (!live.tick) return <Wait error={live.error} />;
  const { system, workers, warnings } = live.tick;
  const points = lastOf(live.points, seconds);
  const times = timesOf(points);
  const rates = [
    { label: 'handled', color: 'blue', data: rateOf(points, 'handled'), fill: true },
    { label: 'sent', color: 'teal', data: rateOf(points, 'sent') },
  ];
  const latency = [
    { label: 'p50', color: 'blue', data: valueOf(points, 'latency_p50_ns'), fill: true },
    { label: 'p99', color: 'amber', data: valueOf(points, 'latency_p99_ns') },
  ];
  const queues = [
    { label: 'ready actors', color: 'violet', data: valueOf(points, 'ready_queue_depth'), fill: true },
  ];
  return (
    <div class="overview">
      <Tiles points={live.points} system={system} />
      <Card title="Messages" note="per second" actions={<Segments label="Time shown" choices={spans} value={seconds} onChange={setSeconds} />}>
        <Chart title="Messages per second" times={times} series={rates} format={perSecond} seconds={seconds} />
      </Card>
      <Card title="Latency" note="send to handler">
        <Chart title="Latency" times={times} series={latency} format={duration} seconds={seconds} />
      </Card>
      <Card title="Ready queue" note="actors that wait for a worker">
        <Chart title="Ready queue" times={times} series={queues} whole format={short} seconds={seconds} />
      </Card>
      <Card title="Top actors" class="top" note={<a href={hrefOf('actors', { order })}>all</a>} actions={<Segments label="Sorted by" choices={choices} value={order} onChange={setOrder} />}>
        <TopActors order={order} />
      </Card>
      <div class="stack">
        <Card title="Workers" note={`${workers.pool.running} running`}>
          <Workers now={workers} before={live.before?.workers} />
        </Card>
        <Card title="Warnings" note={warnings.length ? count(warnings.length) : ''} class={`grow ${warnings.length ? 'has-warnings' : ''}`}>
          <Warnings of={warnings} />
        </Card>
        <ProgramActions />
      </div>
    </div>
  );
}

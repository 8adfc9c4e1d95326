// SPDX-License-Identifier: BSL-1.0
import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../access.jsx';
import { Actions } from '../actions.jsx';
import { get, urlOf } from '../api.js';
import { Chart } from '../chart.jsx';
import { count, duration, share, short } from '../format.js';
import { useLive, wallTime } from '../live.js';
import { Card, Depth, Empty, Failed, Path, Quantity, Reasons, State, Tile, Type, Wait } from '../parts.jsx';
import { Records } from '../records.jsx';
import { useResource } from '../resource.js';
import { hrefOf } from '../route.js';
import { byType, modelOf } from '../trace_model.js';

const kept = 300;
const timerRows = 20;
const shown = 100;  // of its children, timers, watchers

/** What this page saw of the actor since it was opened; the server keeps no history of single actors. */
function useSamples(path, data) {
  const samples = useRef({ path, list: [] });
  if (samples.current.path !== path) samples.current = { path, list: [] };
  useEffect(() => {
    if (!data?.actor || data.actor.path !== path) return;
    const { list } = samples.current;
    if (list.at(-1)?.time_ns === data.time_ns) return;
    list.push({ time_ns: data.time_ns, waiting: data.actor.waiting, taken: data.figures?.taken ?? data.actor.handled ?? null, busy: data.actor.busy_ns });
    if (list.length > kept) list.shift();
  }, [data, path]);
  return samples.current.list;
}

function Charts({ samples }) {
  const times = samples.map((each) => wallTime(each.time_ns) / 1000);
  const rate = samples.map((each, i) => {
    const before = samples[i - 1];
    if (!before || each.taken === null || before.taken === null) return null;
    return Math.max(0, ((each.taken - before.taken) * 1e9) / (each.time_ns - before.time_ns));
  });
  return (
    <>
      <Card title="Waiting" note="since this page was opened">
        <Chart title="Waiting messages" times={times} whole seconds={120} format={short} series={[{ label: 'messages', color: 'blue', fill: true, data: samples.map((each) => each.waiting) }]} />
      </Card>
      <Card title="Handled per second" note="since this page was opened">
        <Chart title="Handled per second" times={times} seconds={120} format={short} series={[{ label: 'handled', color: 'teal', fill: true, data: rate }]} />
      </Card>
    </>
  );
}

const isNumber = (n) => typeof n === 'number';

/** How much of one worker the actor took between the last two samples. */
function busyShare(samples) {
  const [before, now] = samples.slice(-2);
  if (!now || !isNumber(before.busy) || !isNumber(now.busy)) return undefined;
  return Math.max(0, (now.busy - before.busy) / (now.time_ns - before.time_ns));
}

function Figures({ actor, figures, busy }) {
  return (
    <dl class="tiles">
      <Tile label="Waiting" value={short(actor.waiting)} note={actor.capacity ? `of ${count(actor.capacity)}` : 'unbounded mailbox'} tone={actor.overloaded ? 'warn' : ''} />
      {isNumber(actor.oldest_ns) && <Tile label="Oldest message" value={duration(actor.oldest_ns)} note="or older: few carry a time" tone={actor.oldest_ns > 10e9 ? 'warn' : ''} />}
      <Tile label="Latency p99" value={duration(figures?.latency_p99_ns)} note={figures ? `p50 ${duration(figures.latency_p50_ns).join('\u202f')}` : 'not measured'} />
      <Tile label="Handler p99" value={duration(figures?.handler_p99_ns)} note={figures ? `p50 ${duration(figures.handler_p50_ns).join('\u202f')}` : 'not measured'} />
      {figures && <Tile label="Messages taken" value={short(figures.taken)} note={figures.label === actor.path ? 'at level actor' : `all of ${figures.label}`} />}
      {isNumber(busy) && <Tile label="Busy" value={share(busy)} note="of one worker" />}
      {isNumber(actor.restarts) && <Tile label="Restarts" value={short(actor.restarts)} />}
    </dl>
  );
}

function LevelHint({ figures }) {
  const live = useLive();
  if (figures) return null;
  return (
    <p class="hint">
      Times of single actors are measured at metrics level <b>actor</b>; the level now is <b>{live.tick?.system.metrics_level ?? '–'}</b>.
      {may(live, 'control') ? ' Change it at the top of the page.' : ' The program can change it with set_metrics_level.'}
    </p>
  );
}

function Children({ data }) {
  if (data.children_total === 0) return <Empty>It has no children.</Empty>;
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">Children of {data.actor.path}</caption>
        <thead><tr><th scope="col">Actor</th><th scope="col">Type</th><th scope="col">State</th><th scope="col" class="number">Waiting</th></tr></thead>
        <tbody>
          {data.children.map((each) => (
            <tr key={each.id}><td><Path of={each.path} /></td><td><Type of={each.type} /></td><td><State of={each.state} /></td><td class="number"><Depth of={each} /></td></tr>
          ))}
        </tbody>
      </table>
      {data.children_total > data.children.length && <p class="note">{count(data.children_total - data.children.length)} more: <a href={hrefOf('tree', { path: data.actor.path })}>open the tree</a>.</p>}
    </div>
  );
}

/** Types of messages are told apart only by a trace, which is read when it is asked for: it may be large. */
function Types({ path }) {
  const live = useLive();
  const [rows, setRows] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    setRows(null);
    setError(null);
  }, [path]);
  const read = () => {
    setError(null);
    get(urlOf('trace', { format: 'chrome' })).then((trace) => setRows(byType(modelOf(trace), path)), setError);
  };
  return (
    <Card title="By message type" note="in the last trace">
      {!may(live, 'trace') ? (
        <Empty>The program does not grant the capability to read traces.</Empty>
      ) : (
        <>
          <p><button type="button" onClick={read}>Read the last trace</button> <a href={hrefOf('trace', {})}>Start one</a></p>
          {error && <Failed error={error} />}
          {rows && (rows.length ? <Records of={rows} caption={`Message types of ${path}`} /> : <Empty>The last trace has no message to this actor.</Empty>)}
        </>
      )}
    </Card>
  );
}

const dueFirst = (a, b) => (a.due_in_ns ?? -1) - (b.due_in_ns ?? -1);

/** What is set for the actor: by itself, or by others. */
function Timers({ of }) {
  if (!of) return null;
  return (
    <Card title="Timers" note={of.length < shown ? count(of.length) : `${count(shown)} or more`}>
      {of.length === 0 ? <Empty>None.</Empty> : (
        <div class="scroll">
          <table>
            <caption class="hidden">Timers</caption>
            <thead><tr><th scope="col">Message</th><th scope="col">Key</th><th scope="col" class="number">Due in</th><th scope="col" class="number">Every</th></tr></thead>
            <tbody>
              {[...of].sort(dueFirst).slice(0, timerRows).map((each, row) => (
                <tr key={row}>
                  <td>{each.message ? <Type of={each.message} /> : <span class="dim">own deadline: receive timeout, ask or suspension</span>}</td>
                  <td>{each.key ?? ''}</td>
                  <td class="number">{each.due_in_ns === null ? <span class="dim">waits</span> : <Quantity of={duration(each.due_in_ns)} />}</td>
                  <td class="number">{each.period_ns === null ? <span class="dim">once</span> : <Quantity of={duration(each.period_ns)} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {of.length > timerRows && <p class="note">{count(of.length - timerRows)} more.</p>}
        </div>
      )}
    </Card>
  );
}

function Watches({ title, of }) {
  return (
    <Card title={title} note={of ? count(of.length) : ''}>
      {!of ? <Empty>A worker runs the actor: seen when it is idle or suspended.</Empty> : of.length === 0 ? <Empty>None.</Empty> : <ul>{of.map((each) => <li key={each}><Path of={each} /></li>)}</ul>}
    </Card>
  );
}

const failureColumns = ['time_ns', 'message', 'text', 'decision'];
const lostColumns = ['time_ns', 'reason', 'message', 'sender'];

/** Of the newest failures and dead letters of the system, those of this actor. */
function Incidents({ path }) {
  const failures = useResource(urlOf('failures', { limit: 256 }), 2_000).data?.recent?.filter((each) => each.path === path) ?? [];
  const lost = useResource(urlOf('dead_letters', { limit: 256 }), 2_000).data?.recent?.filter((each) => each.target === path) ?? [];
  return (
    <div class="stack">
      <Card title="Failures" note="among the newest of the system">
        {failures.length ? <Records of={failures.slice(0, 10)} caption={`Failures of ${path}`} columns={failureColumns} /> : <Empty>None.</Empty>}
      </Card>
      <Card title="Dead letters" note="sent to it, among the newest of the system">
        {lost.length ? <Records of={lost.slice(0, 10)} caption={`Dead letters sent to ${path}`} columns={lostColumns} /> : <Empty>None.</Empty>}
      </Card>
    </div>
  );
}

export function Actor({ path = '' }) {
  const { data, error, stale, reload } = useResource(urlOf('actor', { path, limit: shown }));
  const samples = useSamples(path, stale ? null : data);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (data?.actor) setSeen(true);
  }, [data]);
  if (!data || stale) return <Wait error={error} />;
  if (!data.actor) return <Empty>{seen ? `${path} has stopped.` : `There is no actor with the path ${path}.`} <a href={hrefOf('actors')}>All actors</a></Empty>;
  const { actor, figures } = data;
  const above = actor.path.split('/').slice(1, -1).map((_, i, all) => `/${all.slice(0, i + 1).join('/')}`).slice(1);
  return (
    <div class="one">
      {error && <Failed error={error} />}
      <div class="identity">
        <div>
          {above.length > 0 && <nav aria-label="Parents" class="above">{above.map((each) => <Path key={each} of={each} />)}</nav>}
          <h2 class="title">{actor.path}</h2>
          <p>
            <State of={actor.state} /> <Reasons of={actor.reasons} />
            {actor.suspended_for_ns !== null && <span class="dim"> for <Quantity of={duration(actor.suspended_for_ns)} /></span>}
            <span class="dim"> · <Type of={actor.type} /> · id {actor.id}</span>
          </p>
        </div>
        <Actions actor={actor} onDone={reload} />
      </div>
      <Figures actor={actor} figures={figures} busy={busyShare(samples)} />
      <LevelHint figures={figures} />
      <div class="halves">
        <Charts samples={samples} />
        <Card title="Children" note={count(data.children_total)}><Children data={data} /></Card>
        <Incidents path={path} />
        <Types path={path} />
        <Timers of={data.timers} />
        <div class="stack">
          <Watches title="Watched by" of={data.watchers} />
          <Watches title="Watches" of={data.watched} />
        </div>
      </div>
    </div>
  );
}

// SPDX-License-Identifier: BSL-1.0
import { useEffect, useRef, useState } from 'preact/hooks';
import { urlOf } from '../api.js';
import { takeFilterRequest } from '../filter_request.js';
import { count, share } from '../format.js';
import { Depth, Empty, Failed, Oldest, Path, Quantity, Reasons, State, Time, Type, Wait } from '../parts.jsx';
import { useBefore, useResource } from '../resource.js';
import { replace } from '../route.js';

const rows = 100;
const lastOffset = 10_000;  // the server leaves out no more than that
const states = ['running', 'draining', 'suspended', 'stopping'];

const ofLabel = 'Of all actors with its label: actors whose names end with a number share one.';

const ofOldest = 'How long the oldest message waits, at least: few messages carry a time.';

/** `order`: what the server can sort by. A column is shown when the rows have its field. */
const columns = [
  { title: 'Actor', order: 'path', direction: 'ascending', show: (a) => <Path of={a.path} /> },
  { title: 'Type', class: 'w-type', show: (a) => <Type of={a.type} /> },
  { title: 'State', class: 'w-state', show: (a) => <><State of={a.state} />{a.overloaded && <span class="chip warn">overloaded</span>}</> },
  { title: 'Suspended for', order: 'suspended', class: 'number', show: (a) => a.suspended_for_ns === null ? null : <Time ns={a.suspended_for_ns} /> },
  { title: 'Reason', show: (a) => <Reasons of={a.reasons} /> },
  { title: 'Waiting', order: 'waiting', class: 'number', show: (a) => <Depth of={a} /> },
  { title: 'Oldest', hint: ofOldest, order: 'oldest', class: 'number', show: (a) => <Oldest ns={a.oldest_ns} /> },
  { title: 'Handled', field: 'handled', hint: ofLabel, order: 'handled', class: 'number', show: (a) => count(a.handled) },
  { title: 'Busy', field: 'busy_ns', hint: ofLabel, order: 'busy', class: 'number', show: (a, busy) => <Quantity of={share(busy(a))} wide /> },
  { title: 'Handler p99', field: 'handler_p99_ns', hint: ofLabel, class: 'number', show: (a) => <Time ns={a.handler_p99_ns} /> },
  { title: 'Restarts', field: 'restarts', order: 'restarts', class: 'number', show: (a) => count(a.restarts) },
];
const shownFor = (actors, order) => columns.filter((each) => !each.field || each.order === order || actors.some((a) => a[each.field] !== undefined && a[each.field] !== null));

/** How much of one worker each actor took between two answers. */
export function useBusyShare(data) {
  const pick = ({ time_ns: time, actors }) => ({ time, busy: new Map(actors.map((a) => [a.id, a.busy_ns])) });
  const before = useBefore(data, pick);
  return (a) => {
    const old = before?.busy.get(a.id);
    if (typeof old !== 'number' || typeof a.busy_ns !== 'number' || data.time_ns <= before.time) return undefined;
    return Math.max(0, (a.busy_ns - old) / (data.time_ns - before.time));
  };
}

function Head({ column, order, onOrder }) {
  if (!column.order) return <th scope="col" class={column.class} title={column.hint}>{column.title}</th>;
  const is = order === column.order;
  return (
    <th scope="col" class={column.class} title={column.hint} aria-sort={is ? (column.direction ?? 'descending') : undefined}>
      <button type="button" onClick={() => onOrder(column.order)}>{column.title}</button>
    </th>
  );
}

function Filter({ path, state, onChange }) {
  const [text, setText] = useState(path);
  const timer = useRef(0);
  const field = useRef(null);
  const sent = useRef(path);  // the path of the address that this field knows
  const change = useRef(onChange);  // of the last rendering: the timer runs later than the one that started it
  change.current = onChange;
  useEffect(() => {
    if (takeFilterRequest()) field.current.focus();
    return () => clearTimeout(timer.current);
  }, []);
  useEffect(() => {
    // An address that this field has written says nothing new: more may have been typed since.
    if (path === sent.current) return;
    clearTimeout(timer.current);
    sent.current = path;
    setText(path);
  }, [path]);
  const send = (value) => {
    sent.current = value;
    change.current({ path: value });
  };
  const typed = (event) => {
    const { value } = event.target;
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(send, 150, value);
  };
  return (
    <search class="filter">
      <label class="grow">
        <span class="hidden">Filter by a part of the path</span>
        <input data-filter ref={field} type="search" placeholder="Filter by a part of the path" value={text} onInput={typed} aria-keyshortcuts="/" autocomplete="off" spellcheck={false} />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <label>
        <span class="dim">State</span>
        <select value={state} onChange={(event) => onChange({ state: event.target.value })}>
          <option value="">any</option>
          {states.map((each) => <option key={each}>{each}</option>)}
        </select>
      </label>
    </search>
  );
}

function Pager({ matching, offset, shown, onMove }) {
  const last = offset + rows >= Math.min(matching, lastOffset + rows);
  return (
    <div class="pager">
      <span role="status">
        {matching === 0 ? 'No actor matches' : `${count(offset + 1)} – ${count(offset + shown)} of ${count(matching)}`}
      </span>
      {last && matching > offset + shown && <span class="dim">Filter to see others.</span>}
      <button type="button" data-pager="previous" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - rows))}>Previous</button>
      <button type="button" data-pager="next" disabled={last} onClick={() => onMove(offset + rows)}>Next</button>
    </div>
  );
}

export function Actors({ path = '', state = '', order = 'path', offset: from = '0' }) {
  const offset = Math.min(lastOffset, Number(from) || 0);
  const { data, error, stale } = useResource(urlOf('actors', { path, state, order, offset, limit: rows }));
  const change = (what) => replace('actors', { path, state, order, offset: 0, ...what });
  const busy = useBusyShare(data);
  const body = useRef(null);
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0;
  }, [path, state, order, offset]);
  if (!data) return <Wait error={error} />;
  const shown = shownFor(data.actors, order);
  return (
    <div class="actors">
      <div class="tools">
        <Filter path={path} state={state} onChange={change} />
        <Pager matching={data.matching} offset={offset} shown={data.actors.length} onMove={(to) => change({ offset: to })} />
      </div>
      {error && <Failed error={error} />}
      <div class={`card scroll grow ${stale ? 'stale' : ''}`} ref={body} tabindex={0} role="region" aria-label="Actors">
        <table class="list">
          <caption class="hidden">Actors, at most {rows} at a time</caption>
          <thead><tr>{shown.map((each) => <Head key={each.title} column={each} order={order} onOrder={(to) => change({ order: to })} />)}</tr></thead>
          <tbody>
            {data.actors.map((a) => <tr key={a.id}>{shown.map((each) => <td key={each.title} class={each.class}>{each.show(a, busy)}</td>)}</tr>)}
          </tbody>
        </table>
        {data.actors.length === 0 && <Empty>No actor matches. Only actors with a name are listed.</Empty>}
      </div>
    </div>
  );
}

// SPDX-License-Identifier: BSL-1.0
import { useEffect, useRef } from 'preact/hooks';
import { urlOf } from '../api.js';
import { Chart } from '../chart.jsx';
import { count, duration, short, words } from '../format.js';
import { wallTime } from '../live.js';
import { Card, Empty, Failed, Tile, Time, Wait } from '../parts.jsx';
import { useResource } from '../resource.js';
import { Wheel } from '../wheel.jsx';

const kept = 300;
const rows = 100;

/** How late the last timer fired, as this page saw it. */
function useLateness(data) {
  const samples = useRef([]);
  useEffect(() => {
    if (!data || samples.current.at(-1)?.time_ns === data.time_ns) return;
    samples.current.push({ time_ns: data.time_ns, late: data.timers.metrics.drift_last_ns });
    if (samples.current.length > kept) samples.current.shift();
  }, [data]);
  return samples.current;
}

/** Those that are behind, then those that are due next. */
function firstOf(periodic) {
  const due = (each) => each.next_tick ?? Infinity;
  return [...periodic].sort((a, b) => b.backlog - a.backlog || due(a) - due(b)).slice(0, rows);
}

function Periodic({ of, position }) {
  if (of.length === 0) return <Empty>No timer repeats.</Empty>;
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">Timers that repeat</caption>
        <thead>
          <tr>
            <th scope="col">Id</th><th scope="col">Mode</th><th scope="col">State</th><th scope="col">Priority</th>
            <th scope="col" class="number">Period</th><th scope="col" class="number">Due in ticks</th><th scope="col" class="number">Backlog</th>
          </tr>
        </thead>
        <tbody>
          {firstOf(of).map((each) => (
            <tr key={each.id}>
              <td class="mono">{each.id}</td><td>{words(each.mode)}</td><td>{each.state}</td><td>{each.priority}</td>
              <td class="number"><Time ns={each.period_ns} /></td>
              <td class="number">{each.next_tick === null ? '–' : count(Math.max(0, each.next_tick - position))}</td>
              <td class={`number ${each.backlog > 0 ? 'warn' : ''}`}>{count(each.backlog)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Tiles({ metrics, commands, overflow }) {
  return (
    <dl class="tiles">
      <Tile label="Active" value={short(metrics.active_total)} note={`of ${short(metrics.quota_limit).join('\u202f')} allowed`} />
      <Tile label="Repeating" value={short(metrics.periodic_total)} note={`${count(commands.pending)} commands wait`} />
      <Tile label="Fired" value={short(metrics.fired_total)} note={`${count(metrics.dropped_total)} dropped`} />
      <Tile label="Last one late by" value={duration(metrics.drift_last_ns)} tone={metrics.drift_last_ns > 100e6 ? 'warn' : ''} />
      <Tile label="Latest one ever" value={duration(metrics.drift_worst_ns)} />
      <Tile label="Refused" value={short(metrics.refused_total)} tone={metrics.refused_total ? 'warn' : ''} note={`${count(metrics.cancelled_total)} cancelled`} />
      <Tile label="Beyond the wheel" value={short(overflow.size)} note="due after its next turn" tone={overflow.size > 0.75 * overflow.capacity ? 'warn' : ''} />
    </dl>
  );
}

export function Timers() {
  const { data, error } = useResource(urlOf('timers', { limit: 1_000 }));
  const samples = useLateness(data);
  if (!data) return <Wait error={error} />;
  const { wheel, overflow, periodic, commands, metrics } = data.timers;
  const { bars, left_out: left } = data.occupancy;
  const late = [{ label: 'last timer', color: 'amber', fill: true, data: samples.map((each) => each.late) }];
  return (
    <div class="timers">
      {error && <Failed error={error} />}
      <Tiles metrics={metrics} commands={commands} overflow={overflow} />
      <Card title="Wheel" note={`${count(wheel.slots)} slots, position ${count(wheel.position)}`}>
        <Wheel wheel={wheel} overflow={overflow} bars={bars} />
        {left > 0 && <p class="note">{count(left)} timers are not in the picture.</p>}
      </Card>
      <div class="stack">
        <Card title="Lateness" note="since this page was opened">
          <Chart title="Lateness of timers" times={samples.map((each) => wallTime(each.time_ns) / 1000)} series={late} format={duration} seconds={120} />
        </Card>
        <Card title="Repeating timers" note={metrics.periodic_total > rows ? `${rows} of ${count(metrics.periodic_total)}: behind, or due next` : count(periodic.length)} class="grow"><Periodic of={periodic} position={wheel.position} /></Card>
      </div>
    </div>
  );
}

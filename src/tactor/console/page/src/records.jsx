// SPDX-License-Identifier: BSL-1.0
// A table of records of the server: the cells are formatted by the names of their fields.
import { count, words } from './format.js';
import { wallTime } from './live.js';
import { Path, Time, Type } from './parts.jsx';

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const isPath = (name, value) => typeof value === 'string' && value.startsWith('/') && name !== 'text';
const isTime = (name) => name === 'time_ns' || name === 'at_ns' || name === 'last_ns' || name === 'first_ns';

function Cell({ name, value }) {
  if (value === null || value === undefined) return <td class="dim">–</td>;
  if (isTime(name)) return <td>{clock.format(wallTime(value))}</td>;
  if (name.endsWith('_ns')) return <td class="number"><Time ns={value} /></td>;
  if (typeof value === 'number') return <td class="number">{count(value)}</td>;
  if (isPath(name, value)) return <td><Path of={value} /></td>;
  if (name === 'message' || name === 'type') return <td><Type of={value} /></td>;
  return <td class={name === 'text' ? 'text' : ''}>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</td>;
}

const head = (name) => (isTime(name) ? 'Time' : words(name.replace(/_ns$/, '')));

/** `columns`: names of fields; without them all fields of the first record. */
export function Records({ of, caption, columns }) {
  const names = columns ?? Object.keys(of[0]);
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>{names.map((name) => <th key={name} scope="col" class={typeof of[0][name] === 'number' && !isTime(name) ? 'number' : ''}>{head(name)}</th>)}</tr>
        </thead>
        <tbody>
          {of.map((each, row) => <tr key={row}>{names.map((name) => <Cell key={name} name={name} value={each[name]} />)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

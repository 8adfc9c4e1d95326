// SPDX-License-Identifier: BSL-1.0
// The small parts that screens are made of.
import { count, duration, words } from './format.js';
import { hrefOf } from './route.js';

/** A number and its unit; units of one column stand below each other. */
export function Quantity({ of: [number, unit], wide }) {
  return (
    <span class="quantity">
      {number}
      {(unit || wide) && <span class="unit">{unit}</span>}
    </span>
  );
}

/** A column of durations. */
export const Time = ({ ns }) => <Quantity of={duration(ns)} wide />;

export function Card({ title, note, actions, class: name = '', children }) {
  return (
    <section class={`card ${name}`} aria-label={title}>
      {title && (
        <header class="card-head">
          <h2>{title}</h2>
          {note && <span class="note">{note}</span>}
          {actions && <span class="card-actions">{actions}</span>}
        </header>
      )}
      {children}
    </section>
  );
}

export function Tile({ label, value: [number, unit], note, tone = '' }) {
  return (
    <div class={`tile ${tone}`}>
      <dt>{label}</dt>
      <dd>
        {number}
        {unit && <span class="unit">{unit}</span>}
      </dd>
      {note && <dd class="note">{note}</dd>}
    </div>
  );
}

const tones = { running: 'good', draining: 'busy', suspended: 'warn', stopping: 'busy', stopped: 'quiet' };
export const State = ({ of }) => <span class={`state ${tones[of] ?? 'quiet'}`}>{of}</span>;

export const Reasons = ({ of = [] }) => of.map((each) => <span key={each} class="chip">{words(each)}</span>);

/** The path as a link to the actor; the last segment stands out. */
export function Path({ of }) {
  const cut = of.lastIndexOf('/') + 1;
  return (
    <a class="path" href={hrefOf('actor', { path: of })} title={of}>
      <span class="dim">{of.slice(0, cut)}</span>
      {of.slice(cut)}
    </a>
  );
}

/** A type's name without the namespaces in front of it. */
export function Type({ of }) {
  const name = String(of);
  const plain = name.replace(/\(anonymous namespace\)::|\{anonymous\}::/g, '').replace(/\b\w+::/g, '');
  return <span class="type" title={name}>{plain}</span>;
}

/** Messages in a mailbox, and how much of it they fill. */
export function Depth({ of }) {
  return (
    <span class="depth">
      {of.capacity !== null && of.capacity !== undefined && <Bar share={of.waiting / of.capacity} tone={of.waiting >= of.capacity ? 'bad' : ''} />}
      {count(of.waiting)}
      {of.capacity ? <span class="dim"> / {count(of.capacity)}</span> : null}
    </span>
  );
}

/** How long the oldest message waits: at least so long. */
export const Oldest = ({ ns }) => (typeof ns === 'number' ? <span class="quantity"><span class="dim">≥&#8239;</span><Time ns={ns} /></span> : null);

/** A share of a whole as a bar; decoration beside a number. */
export function Bar({ share, tone = '' }) {
  const width = `${Math.max(0, Math.min(1, share || 0)) * 100}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class={`fill ${tone}`} style={{ width }} />
    </span>
  );
}

export const Empty = ({ children }) => <p class="empty">{children}</p>;

export function Failed({ error }) {
  return (
    <div class="failed" role="alert">
      <strong>{error.message}</strong>
      {error.advice && <span>{error.advice}</span>}
    </div>
  );
}

/** What a screen shows until its first answer is there, or when there is none. */
export function Wait({ error }) {
  return error ? <Failed error={error} /> : <Empty>Reading…</Empty>;
}

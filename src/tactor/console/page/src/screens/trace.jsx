// SPDX-License-Identifier: BSL-1.0
import { useMemo, useState } from 'preact/hooks';
import { may } from '../access.jsx';
import { get, post, urlOf } from '../api.js';
import { count } from '../format.js';
import { useLive } from '../live.js';
import { Card, Empty, Failed, Path, Time, Type } from '../parts.jsx';
import { longest, modelOf } from '../trace_model.js';
import { Waterfall } from '../waterfall.jsx';

const url = urlOf('trace', { format: 'chrome' });

function Longest({ model }) {
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">The longest handlers of the trace</caption>
        <thead><tr><th scope="col">Message</th><th scope="col">Actor</th><th scope="col">Thread</th><th scope="col" class="number">Begins at</th><th scope="col" class="number">Lasts</th></tr></thead>
        <tbody>
          {longest(model, 50).map((each, i) => (
            <tr key={i}>
              <td><Type of={each.name} /></td><td>{each.args.actor?.startsWith('/') ? <Path of={each.args.actor} /> : each.args.actor}</td><td>{each.track}</td>
              <td class="number"><Time ns={(each.from - model.begin) * 1000} /></td><td class="number"><Time ns={(each.to - each.from) * 1000} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function save(trace) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(trace)], { type: 'application/json' }));
  link.download = 'tactor-trace.json';
  link.click();
  URL.revokeObjectURL(link.href);
}

function Form({ busy, onStart, onRead }) {
  const submit = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const text = (name) => String(form.get(name)).trim() || undefined;
    onStart({ seconds: Number(form.get('seconds')), most: 100_000, every: Number(form.get('every')), path: text('path'), message: text('message') });
  };
  return (
    <form class="trace-form" onSubmit={submit}>
      <label>Seconds <input name="seconds" type="number" min="1" max="60" value="2" required /></label>
      <label>One message in <input name="every" type="number" min="1" max="100000" value="1" required /></label>
      <label class="grow">Below the path <input data-filter name="path" placeholder="all actors" spellcheck={false} /></label>
      <label class="grow">Message type <input name="message" placeholder="all types" spellcheck={false} /></label>
      <button type="submit" class="primary" disabled={busy}>{busy ? 'Tracing…' : 'Start'}</button>
      <button type="button" disabled={busy} onClick={onRead}>Read the last one</button>
    </form>
  );
}

const notThere = 'This version of the program does not record traces yet.';

export function Trace() {
  const live = useLive();
  const [busy, setBusy] = useState(false);
  const [trace, setTrace] = useState(null);
  const [error, setError] = useState(null);
  const model = useMemo(() => trace && modelOf(trace), [trace]);
  const guarded = async (work) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  const read = async () => setTrace(await get(url));
  const begin = (wanted) =>
    guarded(async () => {
      await post('trace', wanted);
      await new Promise((done) => setTimeout(done, wanted.seconds * 1000 + 300));
      await read();
    });
  if (!live.console) return <Empty>Reading…</Empty>;
  if (!may(live, 'trace')) return <Empty>The program did not grant the capability “trace” to the console.</Empty>;
  return (
    <div class="records">
      <Card title="Record" note="always bounded in time and in messages"><Form busy={busy} onStart={begin} onRead={() => guarded(read)} /></Card>
      {error && (error.status === 501 ? <Empty>{notThere}</Empty> : <Failed error={error} />)}
      {model && model.tracks.length === 0 && <Empty>The trace is empty: no message was handled while it was recorded.</Empty>}
      {model && model.tracks.length > 0 && (
        <>
          <Card title="Waterfall" note={`${count(model.flows.length)} messages between actors`} actions={<button type="button" class="quiet" onClick={() => save(trace)}>Save for Perfetto</button>}>
            <Waterfall model={model} />
          </Card>
          <Card title="Longest handlers" class="grow"><Longest model={model} /></Card>
        </>
      )}
    </div>
  );
}

// SPDX-License-Identifier: BSL-1.0
import { urlOf } from '../api.js';
import { Chart } from '../chart.jsx';
import { count, perSecond, short, words } from '../format.js';
import { lastOf, rateOf, thin, timesOf } from '../history.js';
import { useLive } from '../live.js';
import { Bar, Card, Empty, Failed, Tile, Wait } from '../parts.jsx';
import { Records } from '../records.jsx';
import { useResource } from '../resource.js';

const columns = ['time_ns', 'reason', 'message', 'target', 'sender'];

function Reasons({ by, total }) {
  const some = Object.entries(by).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  if (some.length === 0) return <Empty>No message was lost.</Empty>;
  return (
    <table>
      <caption class="hidden">Dead letters by reason</caption>
      <thead><tr><th scope="col">Reason</th><th scope="col" class="number">Messages</th><th scope="col" class="w-bar"><span class="hidden">Share</span></th></tr></thead>
      <tbody>
        {some.map(([reason, n]) => <tr key={reason}><td>{words(reason)}</td><td class="number">{count(n)}</td><td><Bar share={n / total} /></td></tr>)}
      </tbody>
    </table>
  );
}

export function DeadLetters() {
  const live = useLive();
  const { data, error } = useResource(urlOf('dead_letters'));
  if (!data) return <Wait error={error} />;
  const points = thin(lastOf(live.points, 900), 10);
  const rate = rateOf(points, 'dead_letters');
  const recent = data.recent ?? [];
  return (
    <div class="records">
      {error && <Failed error={error} />}
      <dl class="tiles">
        <Tile label="Dead letters" value={short(data.total)} note="since the start" />
        <Tile label="Now" value={perSecond(rate.at(-1))} />
        <Tile label="Suppressed" value={short(data.suppressed)} note="counted, not published" />
      </dl>
      <div class="halves">
        <Card title="By reason"><Reasons by={data.by_reason} total={data.total} /></Card>
        <Card title="Per second" note="last 15 minutes">
          <Chart title="Dead letters per second" times={timesOf(points)} series={[{ label: 'dead letters', color: 'amber', fill: true, data: rate }]} format={short} seconds={900} />
        </Card>
      </div>
      <Card title="Recent" note={recent.length ? `the newest ${count(recent.length)}${data.not_recorded ? `; ${count(data.not_recorded)} only counted` : ''}` : ''} class="grow">
        {recent.length ? <Records of={recent} caption="Recent dead letters" columns={columns} /> : <Empty>None.</Empty>}
      </Card>
    </div>
  );
}

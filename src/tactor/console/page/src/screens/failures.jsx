// SPDX-License-Identifier: BSL-1.0
import { urlOf } from '../api.js';
import { Chart } from '../chart.jsx';
import { count, perSecond, short } from '../format.js';
import { lastOf, rateOf, thin, timesOf } from '../history.js';
import { useLive } from '../live.js';
import { Card, Empty, Failed, Path, Tile, Type, Wait } from '../parts.jsx';
import { Records } from '../records.jsx';
import { useResource } from '../resource.js';

const columns = ['time_ns', 'path', 'message', 'text', 'decision', 'restarts'];

function Cause({ of }) {
  return (
    <Card title="What ended the system" class="has-warnings">
      <p><Path of={of.path} /> failed with <b>{of.text}</b> while it handled <Type of={of.message} />.</p>
    </Card>
  );
}

export function Failures() {
  const live = useLive();
  const { data, error } = useResource(urlOf('failures'));
  if (!data) return <Wait error={error} />;
  const points = thin(lastOf(live.points, 900), 10);
  const series = [
    { label: 'failures', color: 'red', fill: true, data: rateOf(points, 'failures') },
    { label: 'restarts', color: 'violet', data: rateOf(points, 'restarts') },
  ];
  const recent = data.recent ?? [];
  return (
    <div class="records">
      {error && <Failed error={error} />}
      {data.cause_of_the_end && <Cause of={data.cause_of_the_end} />}
      <dl class="tiles">
        <Tile label="Failures" value={short(data.failures)} note="since the start" />
        <Tile label="Restarts" value={short(data.restarts)} note="since the start" />
        <Tile label="Now" value={perSecond(series[0].data.at(-1))} />
      </dl>
      <Card title="Per second" note="last 15 minutes">
        <Chart title="Failures and restarts per second" times={timesOf(points)} series={series} format={short} seconds={900} />
      </Card>
      <Card title="Recent" note={recent.length ? `the newest ${count(recent.length)}${data.not_recorded ? `; ${count(data.not_recorded)} only counted` : ''}` : ''} class="grow">
        {recent.length ? <Records of={recent} caption="Recent failures" columns={columns} /> : <Empty>None.</Empty>}
      </Card>
    </div>
  );
}

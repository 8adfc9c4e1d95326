// SPDX-License-Identifier: BSL-1.0
// A chart over time with a legend that holds the numbers, and a sentence for screen readers.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { plain, round } from './format.js';
import { useTheme } from './theme.js';

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const known = (values) => values.filter((each) => each !== null && each !== undefined);
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const least = 60;  // seconds
const steps = [0.1, 0.2, 0.5];
for (let each = 1; each < 1e12; each *= 10) steps.push(each, 2 * each, 5 * each);

function optionsOf(series, format, whole, showCursor) {
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: color('dim'), font, grid: { stroke: color('grid'), width: 1 }, ticks: { show: false } };
  return {
    width: 300,
    height: 120,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { setScale: false } },
    padding: [6, 26, 0, 0],
    scales: { x: { time: true }, y: { range: (_, low, high) => [0, 1.1 * (high || 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 24, space: 68, values: (_, splits) => splits.map((each) => clock.format(each * 1000)) },
      { ...axis, size: 52, space: 26, incrs: whole ? steps.filter((each) => each >= 1) : steps, values: (_, splits) => splits.map((each) => (each === 0 ? '0' : round(plain(format(each))))) },
    ],
    series: [
      {},
      ...series.map((each) => ({
        label: each.label,
        stroke: color(each.color),
        width: 1.5,
        fill: each.fill ? `${color(each.color)}1f` : undefined,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [(plot) => showCursor(plot.cursor.idx ?? null)] },
  };
}

function sentence(title, series, format) {
  const parts = series.map(({ label, data }) => {
    const values = known(data);
    if (values.length === 0) return `${label}: no figures`;
    const [low, high] = [Math.min(...values), Math.max(...values)].map((each) => plain(format(each)));
    return `${label}: now ${plain(format(values.at(-1)))}, lowest ${low}, highest ${high}`;
  });
  return `${title}. ${parts.join('; ')}.`;
}

/** `times` in seconds of the wall clock; `series`: {label, color, data, fill}; `format` as in format.js; `whole`: no fractions. */
export function Chart({ title, times, series, format, seconds, whole = false }) {
  const holder = useRef(null);
  const plot = useRef(null);
  const theme = useTheme();
  const [cursor, setCursor] = useState(null);
  const shape = series.map((each) => each.label).join();

  useEffect(() => {
    const element = holder.current;
    const made = new uPlot(optionsOf(series, format, whole, setCursor), [times, ...series.map((each) => each.data)], element);
    plot.current = made;
    const fit = () => made.setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    fit();
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, shape]);

  useEffect(() => {
    const made = plot.current;
    if (!made) return;
    made.batch(() => {
      made.setData([times, ...series.map((each) => each.data)], false);
      const end = times.at(-1) ?? Date.now() / 1000;
      // What is younger than the time that is shown fills the chart, from a minute on.
      const begin = Math.min(times[0] ?? end, end - least);
      made.setScale('x', { min: Math.max(end - seconds, begin), max: end });
    });
  });

  const at = cursor !== null && cursor < times.length ? cursor : null;
  return (
    <div class="chart">
      <div class="legend" aria-hidden="true">
        {series.map((each) => (
          <span key={each.label}>
            <i class={`swatch ${each.color}`} />
            {each.label} <b>{plain(format((at === null ? each.data.at(-1) : each.data[at]) ?? undefined))}</b>
          </span>
        ))}
        {at !== null && <span class="dim at">{clock.format(times[at] * 1000)}</span>}
      </div>
      <div class="plot" ref={holder} role="img" aria-label={sentence(title, series, format)} />
    </div>
  );
}

// SPDX-License-Identifier: BSL-1.0
// A trace as a picture: one track per worker, time from left to right. Drawn on a canvas, as there are many spans.
import { useEffect, useRef, useState } from 'preact/hooks';
import { duration, plain } from './format.js';
import { useTheme } from './theme.js';

const rowHeight = 30;
const left = 120;
const top = 24;
const palette = ['blue', 'teal', 'violet', 'amber', 'red'];

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function drawScale(ink, width, view) {
  ink.fillStyle = color('dim');
  const steps = Math.max(2, Math.floor((width - left) / 130));
  for (let i = 0; i < steps; i += 1) {
    const at = view.from + ((view.to - view.from) * i) / steps;
    ink.fillText(plain(duration((at - view.begin) * 1000)), left + ((width - left) * i) / steps, 14);
  }
}

function drawFlows(ink, model, rows, place) {
  ink.strokeStyle = color('dim');
  ink.globalAlpha = 0.45;
  ink.beginPath();
  for (const { from, to } of model.flows.slice(0, 5_000)) {
    const [x1, x2] = [place(from.at), place(to.at)];
    if (x2 < left || !rows.has(from.track) || !rows.has(to.track)) continue;
    const [y1, y2] = [from.track, to.track].map((each) => top + rows.get(each) * rowHeight + rowHeight / 2);
    ink.moveTo(x1, y1);
    ink.bezierCurveTo(x1 + 20, y1, x2 - 20, y2, x2, y2);
  }
  ink.stroke();
  ink.globalAlpha = 1;
}

function drawTrack(ink, track, y, width, place, colors) {
  for (const span of track.spans) {
    const x = Math.max(left, place(span.from));
    const end = Math.min(width, place(span.to));
    if (end < left || x > width) continue;
    const wide = Math.max(1, end - x);
    ink.fillStyle = colors.get(span.name);
    ink.fillRect(x, y + 4, wide, rowHeight - 10);
    if (wide < 40) continue;
    ink.fillStyle = color('card');
    ink.save();
    ink.beginPath();
    ink.rect(x, y, wide - 4, rowHeight);
    ink.clip();
    ink.fillText(span.name, x + 5, y + 18);
    ink.restore();
  }
}

function draw(canvas, model, view) {
  const width = canvas.clientWidth;
  const height = top + model.tracks.length * rowHeight;
  const scale = devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const ink = canvas.getContext('2d');
  ink.scale(scale, scale);
  ink.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const place = (at) => left + ((at - view.from) / (view.to - view.from)) * (width - left);
  drawScale(ink, width, { ...view, begin: model.begin });
  const colors = new Map(model.names.map((each, i) => [each, color(palette[i % palette.length])]));
  const rows = new Map(model.tracks.map((each, i) => [each.id, i]));
  drawFlows(ink, model, rows, place);
  model.tracks.forEach((track, i) => {
    const y = top + i * rowHeight;
    drawTrack(ink, track, y, width, place, colors);
    ink.fillStyle = color('card');
    ink.fillRect(0, y, left - 4, rowHeight);
    ink.fillStyle = color('text');
    ink.fillText(track.name, 0, y + 18, left - 8);
  });
}

export function Waterfall({ model }) {
  const canvas = useRef(null);
  const theme = useTheme();
  const [view, setView] = useState({ from: model.begin, to: model.end });
  useEffect(() => setView({ from: model.begin, to: model.end }), [model]);
  useEffect(() => {
    const element = canvas.current;
    const again = () => draw(element, model, view);
    again();
    const observer = new ResizeObserver(again);
    observer.observe(element);
    return () => observer.disconnect();
  }, [model, view, theme]);

  const zoom = (by, around = (view.from + view.to) / 2) =>
    setView({ from: Math.max(model.begin, around - (around - view.from) * by), to: Math.min(model.end, around + (view.to - around) * by) });
  const move = (part) => {
    const span = view.to - view.from;
    const from = Math.max(model.begin, Math.min(model.end - span, view.from + span * part));
    setView({ from, to: from + span });
  };
  const pressed = (event) => {
    const act = { '+': () => zoom(0.5), '-': () => zoom(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25) }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const wheel = (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const part = (event.offsetX - left) / (canvas.current.clientWidth - left);
    zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + (view.to - view.from) * Math.max(0, part));
  };
  const spans = model.tracks.reduce((sum, each) => sum + each.spans.length, 0);
  const label = `${spans} handlers on ${model.tracks.length} tracks within ${plain(duration((model.end - model.begin) * 1000))}. The table below has the longest.`;
  return (
    <div class="waterfall">
      <div class="buttons" role="group" aria-label="Part of the trace shown">
        <button type="button" onClick={() => move(-0.5)}>Earlier</button>
        <button type="button" onClick={() => move(0.5)}>Later</button>
        <button type="button" onClick={() => zoom(0.5)}>Zoom in</button>
        <button type="button" onClick={() => zoom(2)}>Zoom out</button>
        <button type="button" onClick={() => setView({ from: model.begin, to: model.end })}>All</button>
        <span class="note">Also with + − ← → , or Shift and the mouse wheel</span>
      </div>
      <div class="legend">
        {model.names.slice(0, 8).map((each, i) => <span key={each}><i class={`swatch ${palette[i % palette.length]}`} />{each}</span>)}
        {model.names.length > 8 && <span>and {model.names.length - 8} more</span>}
      </div>
      <canvas ref={canvas} tabindex={0} role="img" aria-label={label} style={{ height: `${top + model.tracks.length * rowHeight}px` }} onKeyDown={pressed} onWheel={wheel} />
    </div>
  );
}

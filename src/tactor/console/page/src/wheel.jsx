// SPDX-License-Identifier: BSL-1.0
// The timer wheel as a picture: one bar per slot or group of slots, the hand shows the position.
import { count } from './format.js';

const radius = 96;
const longest = 44;

function point(angle, distance) {
  return [140 + Math.sin(angle) * distance, 140 - Math.cos(angle) * distance].map((each) => each.toFixed(1));
}

/** `bars`: how many timers are due in each part of the wheel; the first part is at the top. */
export function Wheel({ wheel, overflow, bars }) {
  const high = Math.max(1, ...bars);
  const turn = 2 * Math.PI;
  const hand = ((wheel.position % wheel.slots) / wheel.slots) * turn;
  const [hx, hy] = point(hand, radius - 6);
  const below = Math.cos(hand) < 0;  // the hand: then the text stands above
  const held = Math.max(0, wheel.size - overflow.size);
  const label = `Timer wheel: ${wheel.active_slots} of ${wheel.slots} slots hold ${held} timers; ${overflow.size} are due later than one turn.`;
  return (
    <svg class="wheel" viewBox="0 0 280 280" role="img" aria-label={label}>
      <circle cx="140" cy="140" r={radius} class="rim" />
      {bars.map((each, i) => {
        const angle = ((i + 0.5) / bars.length) * turn;
        const [x1, y1] = point(angle, radius + 3);
        const [x2, y2] = point(angle, radius + 3 + (each ? 4 + (longest - 8) * (each / high) : 1.5));
        return <line key={i} x1={x1} y1={y1} x2={x2} y2={y2} class={each ? 'slot used' : 'slot'} />;
      })}
      <line x1="140" y1="140" x2={hx} y2={hy} class="hand" />
      <circle cx="140" cy="140" r="4" class="hub" />
      <text x="140" y={below ? 100 : 184} class="big">{count(held)}</text>
      <text x="140" y={below ? 118 : 202} class="small">timers in {wheel.active_slots} slots</text>
    </svg>
  );
}

// SPDX-License-Identifier: BSL-1.0
// The timer wheel as a picture: one bar per slot or group of slots, the hand shows the position.

const bins = 120;
const radius = 96;
const longest = 44;

/** How many of the listed timers are due in each part of the wheel. */
export function occupancy(wheel, jobs) {
  const count = Math.min(bins, wheel.slots);
  const bars = new Array(count).fill(0);
  for (const job of jobs)
    if (job.next_tick !== null && job.next_tick - wheel.position < wheel.slots)
      bars[Math.floor(((job.next_tick % wheel.slots) * count) / wheel.slots)] += 1;
  return bars;
}

function point(angle, distance) {
  return [140 + Math.sin(angle) * distance, 140 - Math.cos(angle) * distance].map((each) => each.toFixed(1));
}

export function Wheel({ wheel, overflow, jobs }) {
  const bars = occupancy(wheel, jobs);
  const high = Math.max(1, ...bars);
  const turn = 2 * Math.PI;
  const hand = ((wheel.position % wheel.slots) / wheel.slots) * turn;
  const [hx, hy] = point(hand, radius - 6);
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
      <text x="140" y="186" class="big">{held}</text>
      <text x="140" y="204" class="small">timers in {wheel.active_slots} slots</text>
    </svg>
  );
}

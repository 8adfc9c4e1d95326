// SPDX-License-Identifier: BSL-1.0
// All screens, in the order of the navigation. A screen without a key is reached from the screen that owns it.
import { Actor } from './screens/actor.jsx';
import { Actors } from './screens/actors.jsx';
import { DeadLetters } from './screens/dead_letters.jsx';
import { Failures } from './screens/failures.jsx';
import { Overview } from './screens/overview.jsx';
import { Shutdown } from './screens/shutdown.jsx';
import { Timers } from './screens/timers.jsx';
import { Trace } from './screens/trace.jsx';
import { Tree } from './screens/tree.jsx';

export const screens = [
  { name: 'overview', title: 'Overview', key: '1', View: Overview },
  { name: 'actors', title: 'Actors', key: '2', owns: 'actor', View: Actors },
  { name: 'tree', title: 'Tree', key: '3', View: Tree },
  { name: 'timers', title: 'Timers', key: '4', View: Timers },
  { name: 'dead_letters', title: 'Dead letters', key: '5', View: DeadLetters },
  { name: 'failures', title: 'Failures', key: '6', View: Failures },
  { name: 'trace', title: 'Trace', key: '7', View: Trace },
  { name: 'shutdown', title: 'Shutdown', key: '8', View: Shutdown },
  { name: 'actor', title: 'Actor', View: Actor },
];

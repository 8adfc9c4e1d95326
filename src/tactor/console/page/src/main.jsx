// SPDX-License-Identifier: BSL-1.0
// The frame around the screens: navigation, head, keys.
import 'uplot/dist/uPlot.min.css';
import './style/base.css';
import './style/parts.css';
import './style/screens.css';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Access, Dialog, Level } from './access.jsx';
import { onKey, keys } from './keys.js';
import { start, useLive } from './live.js';
import { State } from './parts.jsx';
import { hrefOf, useRoute } from './route.js';
import { apply, toggle, useTheme } from './theme.js';
import { screens } from './screens.js';

function Navigation({ current }) {
  const state = useLive();
  const warnings = state.tick?.warnings?.length ?? 0;
  return (
    <nav aria-label="Screens">
      <ul>
        {screens.filter((each) => each.key).map((each) => (
          <li key={each.name}>
            <a href={hrefOf(each.name)} aria-current={current === each.name || each.owns === current ? 'page' : undefined} aria-keyshortcuts={each.key}>
              {each.title}
              {each.name === 'overview' && warnings > 0 && <span class="count" aria-label={`${warnings} warnings`}>{warnings}</span>}
              <kbd aria-hidden="true">{each.key}</kbd>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const statusText = {
  connecting: 'Connecting…',
  live: 'Live',
  polling: 'Live, by polling',
  lost: 'The program does not answer',
};

function Status() {
  const { status } = useLive();
  return <span class={`status ${status}`} role="status">{statusText[status]}</span>;
}

function ThemeSwitch() {
  const theme = useTheme();
  return <button type="button" class="quiet" onClick={toggle} aria-keyshortcuts="t">{theme === 'dark' ? 'Light' : 'Dark'}</button>;
}

function Head({ title }) {
  const { tick, console: what } = useLive();
  const system = tick?.system;
  return (
    <header class="head">
      <h1 tabindex={-1}>{title}</h1>
      <div class="facts">
        <Level name="metrics_level" label="metrics" value={system?.metrics_level} />
        <Level name="log_level" label="log" value={what?.log_level} />
        <Access />
      </div>
    </header>
  );
}

function Brand() {
  const { tick, console: what } = useLive();
  const name = tick?.system?.name ?? what?.system;
  return (
    <div class="brand">
      <span class="product">tactor</span>
      <span class="system" title={name}>{name || 'actor system'}</span>
      <span class="about">
        {tick?.system && <State of={tick.system.phase} />}
        {what?.pid ? <span class="dim">pid {what.pid}</span> : null}
      </span>
    </div>
  );
}

function Keys({ open, onClose }) {
  return (
    <Dialog title="Keys" open={open} onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}
      </dl>
      <div class="buttons"><button type="button" class="primary" onClick={onClose} autofocus>Close</button></div>
    </Dialog>
  );
}

function App() {
  const route = useRoute();
  const [help, setHelp] = useState(false);
  const main = useRef(null);
  const screen = screens.find((each) => each.name === route.screen) ?? screens[0];
  useEffect(() => onKey(() => setHelp(true)), []);
  useEffect(() => {
    document.title = `${screen.title} · tactor console`;
    main.current.scrollTop = 0;
  }, [screen.name]);
  const { View } = screen;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current.focus(); }}>Skip to content</a>
      <aside class="side">
        <Brand />
        <Navigation current={screen.name} />
        <div class="foot">
          <Status />
          <div class="buttons">
            <ThemeSwitch />
            <button type="button" class="quiet" onClick={() => setHelp(true)} aria-keyshortcuts="?">Keys</button>
          </div>
        </div>
      </aside>
      <main id="main" ref={main} tabindex={-1}>
        <Head title={screen.title} />
        <View key={screen.name} {...route.parameters} />
      </main>
      <Keys open={help} onClose={() => setHelp(false)} />
    </>
  );
}

apply();
start();
render(<App />, document.getElementById('app'));

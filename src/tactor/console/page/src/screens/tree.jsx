// SPDX-License-Identifier: BSL-1.0
import { useState } from 'preact/hooks';
import { urlOf } from '../api.js';
import { count } from '../format.js';
import { Card, Depth, Empty, Path, Reasons, State, Type, Wait } from '../parts.jsx';
import { useResource } from '../resource.js';

const most = 100;  // children shown of one actor

const below = (path, top) => path.slice(top.length).split('/').length - 1;

/** The actors directly below `path`: one level at a time is read from the server. */
function Level({ path, depth }) {
  const [limit, setLimit] = useState(most);
  const { data, error } = useResource(urlOf('tree', { path, depth: 1, limit }), 2_000);
  if (!data) return <Wait error={error} />;
  const nodes = data.nodes.filter((each) => below(each.path, path) === 1);
  if (nodes.length === 0) return <Empty>{depth === 1 ? 'No actor has a name.' : 'No children.'}</Empty>;
  const left = data.matching - data.nodes.length;
  return (
    <ul role={depth === 1 ? 'tree' : 'group'} aria-label={depth === 1 ? `Actors below ${path}` : undefined}>
      {nodes.map((each) => <Node key={each.id} of={each} depth={depth} />)}
      {left > 0 && (
        <li role="none" class="more">
          <span class="dim">{count(left)} more.</span>
          {limit < 1_000 ? <button type="button" class="quiet" onClick={() => setLimit(1_000)}>Show up to 1 000</button> : <span class="dim"> The list of actors has a filter.</span>}
        </li>
      )}
    </ul>
  );
}

function Node({ of, depth }) {
  const [open, setOpen] = useState(false);
  const leaf = of.children === 0;
  const pressed = (event) => {
    const to = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (to === undefined || leaf) return;
    event.stopPropagation();
    setOpen(to);
  };
  return (
    <li role="treeitem" aria-expanded={leaf ? undefined : open} aria-level={depth} onKeyDown={pressed}>
      <div class="node">
        {leaf ? <span class="leaf" /> : (
          <button type="button" class="twist" aria-label={`${open ? 'Close' : 'Open'} ${of.path}`} onClick={() => setOpen(!open)}>{open ? '▾' : '▸'}</button>
        )}
        <Path of={of.path} />
        {of.children > 0 && <span class="note">{count(of.children)} children</span>}
        <span class="dim"><Type of={of.type} /></span>
        <span class="end"><Reasons of={of.reasons} /><State of={of.state} /><span class="number w-depth"><Depth of={of} /></span></span>
      </div>
      {open && !leaf && <Level path={of.path} depth={depth + 1} />}
    </li>
  );
}

export function Tree({ path = '/user' }) {
  return (
    <Card title={path} note="children are read when a branch is opened" class="tree grow">
      <Level path={path} depth={1} />
    </Card>
  );
}

import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import type { TreeGridHandle } from '../../components/tree-grid/use-tree-grid.js';
import { TabList, TabPanel } from '../../components/tab-list.js';
import { useLatest } from '../../components/hooks.js';
import { PageActions } from '../../components/page-actions.js';
import { readStored, store } from '../../components/storage.js';
import { FlameGraph } from './flame-graph.js';
import { Minimap } from './minimap.js';
import { FindField } from './section-panel.js';
import { SpanGrid } from './span-grid.js';
import { useFoundTexts, type TraceModel } from './use-trace.js';
import { readOnly, toggleOnly, type TraceSearch, type View } from './trace-search.js';
import { nextPlace, rowFor, rowOf } from './tree-rows.js';
import { useRange, useTraceRows, type useTraceAddress } from './use-trace-view.js';
import styles from './trace-page.module.css';
import { lazyPart } from '../../components/lazy-part.js';

const AgentGraphView = lazyPart(async () => (await import('./agent-graph.js')).AgentGraphView);

interface TraceViewProps {
  traceId: string;
  model: TraceModel;
  search: TraceSearch;
  change: ReturnType<typeof useTraceAddress>['change'];
  selected: number;
  onSelect(place: number, by: 'key' | 'press'): void;
  onOpen(): void;
}

const VIEWS: readonly { id: View; label: string; shortcut: string }[] = [
  { id: 'waterfall', label: 'Waterfall', shortcut: '1' },
  { id: 'tree', label: 'Tree', shortcut: '2' },
  { id: 'flame', label: 'Flame', shortcut: '3' },
  { id: 'graph', label: 'Graph', shortcut: '4' },
];

const ONLY_BUTTONS = [
  { name: 'errors', label: 'Errors only' },
  { name: 'llm', label: 'LLM calls only' },
] as const;

/** The spans of a trace in one of four views, and what is looked for in them. */
export function TraceView({ traceId, model, search, change, selected, onSelect, onOpen }: TraceViewProps) {
  const { view = 'waterfall', find = '' } = search;
  const only = readOnly(search.only);
  const panelId = useId();
  const grid = useRef<TreeGridHandle>(null);
  const findBox = useRef<HTMLInputElement>(null);
  const { found, isSearching } = useFoundTexts(traceId, find);
  const { rows, filtered, folded, toggle, open } = useTraceRows(model, find, only, found);
  const timeline = useRange(model.times.total);

  const goTo = (place: number | undefined): void => {
    if (place === undefined) return;
    open(place);
    onSelect(place, 'key');
    // The row may be shown only once what hid it is open.
    requestAnimationFrame(() => reveal(place));
  };
  // A link, or going back, may lead to a row that is far away.
  const selectedId = model.tree.spans[selected]?.id;
  const shown = shownPlace(model, rows, selected);
  /** @param place which is given the focus; `null` for the selected one, without it. */
  const reveal = useLatest((place: number | null) => grid.current?.reveal(rowOf(rows, place ?? shown), place !== null));
  useEffect(() => reveal(null), [selectedId, view, reveal]);
  const step = (direction: 1 | -1): void => {
    if (filtered !== null) goTo(nextPlace(filtered.matches, selected, direction));
  };
  const toggleAndKeep = (place: number): void => {
    toggle(place);
    // What is folded away cannot stay selected.
    if (selected > place && selected < model.tree.end[place]!) onSelect(place, 'key');
  };
  const showView = (next: View): void => change({ view: next === 'waterfall' ? undefined : next }, false);
  const fitSelected = (): void => {
    const { start, end } = model.times;
    if (selected !== -1) timeline.fitTo({ from: start[selected]!, to: end[selected]! });
  };
  useShortcuts([
    { keys: '/', label: 'Find in trace', group: 'Trace', run: () => findBox.current?.focus() },
    ...VIEWS.map(({ id, label, shortcut }) => ({ keys: shortcut, label, group: 'Trace', run: () => showView(id) })),
    { keys: 'n', label: 'Next match', group: 'Trace', run: () => step(1) },
    { keys: 'N', label: 'Previous match', group: 'Trace', run: () => step(-1) },
    { keys: 'e', label: 'Next error', group: 'Trace', run: () => goTo(nextPlace(model.failed, selected, 1)) },
  ]);
  return (
    <div className={styles.view}>
      <div className={styles.toolbar}>
        <FindField
          ref={findBox}
          label="Find in trace"
          className={styles.find}
          value={find}
          onChange={(text) => change({ find: text === '' ? undefined : text }, true)}
          onStep={step}
        />
        {ONLY_BUTTONS.map(({ name, label }) => (
          <Button
            key={name}
            aria-pressed={only.includes(name)}
            onClick={() => change({ only: toggleOnly(search.only, name) }, false)}
          >
            {label}
          </Button>
        ))}
        <span role="status" aria-label="Matches" className="quiet">
          {filtered !== null &&
            `${formatCount(filtered.matches.length)} of ${formatCounted(model.tree.spans.length, 'span')}`}
          {isSearching && ' …'}
        </span>
        <TabList label="View" items={VIEWS} selected={view} panelId={panelId} onSelect={showView} />
      </div>
      <TabPanel id={panelId} tab={view}>
        {view === 'flame' ? (
          <FlameGraph {...{ model, filtered, selected, onSelect }} />
        ) : view === 'graph' ? (
          <AgentGraphView {...{ model, filtered, selected, onSelect }} />
        ) : (
          <>
            <Minimap model={model} range={timeline.range} onRange={timeline.choose} />
            <div className={styles.zoom}>
              <PageActions
                group="Trace"
                actions={[
                  { label: 'Zoom in', keys: '+', run: timeline.zoomIn },
                  { label: 'Zoom out', keys: '-', run: timeline.zoomOut },
                  { label: 'Show the whole trace', short: 'Whole trace', keys: '0', run: timeline.showAll },
                  { label: 'Fit the selected span', short: 'Fit span', keys: 'f', run: fitSelected },
                ]}
              />
              <TimelineLegend />
            </div>
            {rows.length === 0 && model.tree.spans.length > 0 ? (
              <p className={styles.none}>No span matches. Change the search text, or turn off the filter buttons.</p>
            ) : (
              <SpanGrid
                ref={grid}
                {...{ model, rows, filtered, folded, find, view, onSelect, onOpen }}
                range={timeline.range}
                selected={shown}
                onToggle={toggleAndKeep}
              />
            )}
          </>
        )}
      </TabPanel>
    </div>
  );
}

function shownPlace({ tree }: TraceModel, rows: Int32Array, selected: number): number {
  const row = selected === -1 ? -1 : rowFor(tree, rows, selected);
  return row === -1 ? -1 : rows[row]!;
}

const STORAGE_KEY = 'spandrel.trace-details';
const SHARE = { first: 40, least: 20, most: 80, step: 2 };

/** The spans, and beside them, on narrow screens below them, the details of one. The edge between them can be moved. */
export function DetailsSplitter({ main, side }: { main: ReactNode; side: ReactNode }) {
  const [share, setShare] = useState(storedShare);
  const frame = useRef<HTMLDivElement>(null);
  const move = (percent: number): void => {
    const next = Math.min(SHARE.most, Math.max(SHARE.least, Math.round(percent)));
    setShare(next);
    store(STORAGE_KEY, String(next));
  };
  const press = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: share + SHARE.step, ArrowRight: share - SHARE.step, Home: SHARE.most, End: SHARE.least }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  const drag = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { right, width } = frame.current!.getBoundingClientRect();
    move(((right - event.clientX) / width) * 100);
  };
  return (
    <div ref={frame} className={styles.split} style={{ '--details': `${share}%` } as object}>
      {main}
      {side && (
        // A separator that can be moved is a control.
        // oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
        <div
          role="separator"
          aria-label="Width of the details"
          aria-orientation="vertical"
          aria-valuenow={share}
          aria-valuemin={SHARE.least}
          aria-valuemax={SHARE.most}
          tabIndex={0}
          className={styles.separator}
          onKeyDown={press}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
          onDoubleClick={() => move(SHARE.first)}
        />
        // oxlint-enable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
      )}
      {side}
    </div>
  );
}

function storedShare(): number {
  const stored = Number(readStored(STORAGE_KEY));
  return stored >= SHARE.least && stored <= SHARE.most ? stored : SHARE.first;
}

const MARKS = [
  { className: styles.markOwn, label: 'Self time' },
  { className: styles.markChildren, label: 'Children' },
  { className: styles.markCritical, label: 'Critical path' },
  { className: styles.markGap, label: 'Idle' },
];

function TimelineLegend() {
  return (
    <ul aria-label="Marks of the timeline" className={styles.legend}>
      {MARKS.map(({ className, label }) => (
        <li key={label}>
          <span className={className} aria-hidden="true" /> {label}
        </li>
      ))}
    </ul>
  );
}

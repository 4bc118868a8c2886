import { formatCount, formatCounted } from '@spandrel/contract/browser';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type Ref,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import type { TreeGridHandle } from '../../components/tree-grid/use-tree-grid.js';
import { tabId, TabList } from '../../components/tab-list.js';
import { TextField } from '../../components/field.js';
import { FlameGraph } from './flame-graph.js';
import { Minimap } from './minimap.js';
import { SpanGrid } from './span-grid.js';
import { useFoundTexts, type TraceModel } from './use-trace.js';
import { readOnly, toggleOnly, type TraceSearch, type View, type Only } from './trace-search.js';
import { nextPlace, rowFor, rowOf } from './tree-rows.js';
import { useRange, useTraceRows, type useTraceAddress } from './use-trace-view.js';
import styles from './trace-page.module.css';

interface TraceViewProps {
  traceId: string;
  model: TraceModel;
  search: TraceSearch;
  change: ReturnType<typeof useTraceAddress>['change'];
  /** Place of the selected span; -1 for none. */
  selected: number;
  onSelect(place: number, by: 'key' | 'press'): void;
  /** Enter on a row: goes on to its details. */
  onOpen(): void;
}

/** The spans of a trace in one of three views, and what is looked for in them. */
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
    requestAnimationFrame(() => grid.current?.reveal(rowOf(latestRows.current, place), true));
  };
  const latestRows = useRef(rows);
  latestRows.current = rows;
  // A link, or going back, may lead to a row that is far away.
  const selectedId = model.tree.spans[selected]?.id;
  const shown = shownPlace(model, rows, selected);
  const latestShown = useRef(shown);
  latestShown.current = shown;
  useEffect(() => {
    grid.current?.reveal(rowOf(latestRows.current, latestShown.current), false);
  }, [selectedId, view]);
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
    { keys: '1', label: 'Waterfall', group: 'Trace', run: () => showView('waterfall') },
    { keys: '2', label: 'Tree', group: 'Trace', run: () => showView('tree') },
    { keys: '3', label: 'Flame', group: 'Trace', run: () => showView('flame') },
    { keys: 'n', label: 'Next match', group: 'Trace', run: () => step(1) },
    { keys: 'N', label: 'Previous match', group: 'Trace', run: () => step(-1) },
    { keys: 'e', label: 'Next error', group: 'Trace', run: () => goTo(nextPlace(model.failed, selected, 1)) },
    { keys: '+', label: 'Zoom in', group: 'Trace', run: timeline.zoomIn },
    { keys: '-', label: 'Zoom out', group: 'Trace', run: timeline.zoomOut },
    { keys: '0', label: 'Show the whole trace', group: 'Trace', run: timeline.showAll },
    { keys: 'f', label: 'Fit the selected span', group: 'Trace', run: fitSelected },
  ]);
  return (
    <div className={styles.view}>
      <TraceToolbar
        findBox={findBox}
        {...{ find, only, view, panelId, isSearching }}
        matches={filtered?.matches.length ?? null}
        spans={model.tree.spans.length}
        onFind={(text) => change({ find: text === '' ? undefined : text }, true)}
        onOnly={(name) => change({ only: toggleOnly(search.only, name) }, false)}
        onView={showView}
        onStep={step}
      />
      <div role="tabpanel" id={panelId} aria-labelledby={tabId(panelId, view)} className={styles.panel}>
        {view === 'flame' ? (
          <FlameGraph {...{ model, filtered, selected, onSelect }} />
        ) : (
          <>
            <Minimap model={model} range={timeline.range} onRange={timeline.choose} />
            <div className={styles.zoom}>
              <Button shortcut="+" onClick={timeline.zoomIn}>
                Zoom in
              </Button>
              <Button shortcut="-" onClick={timeline.zoomOut}>
                Zoom out
              </Button>
              <Button shortcut="0" onClick={timeline.showAll}>
                Whole trace
              </Button>
              <Button shortcut="f" disabled={selected === -1} onClick={fitSelected}>
                Fit span
              </Button>
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
      </div>
    </div>
  );
}

/** The selected span, or the row that hides it. */
function shownPlace({ tree }: TraceModel, rows: Int32Array, selected: number): number {
  const row = selected === -1 ? -1 : rowFor(tree, rows, selected);
  return row === -1 ? -1 : rows[row]!;
}

interface TraceToolbarProps {
  findBox: Ref<HTMLInputElement>;
  find: string;
  only: readonly Only[];
  view: View;
  panelId: string;
  /** Spans that match; `null` where nothing is asked for. */
  matches: number | null;
  spans: number;
  isSearching: boolean;
  onFind(find: string): void;
  onOnly(only: Only): void;
  onView(view: View): void;
  /** Enter in the search box goes to the next match. */
  onStep(direction: 1 | -1): void;
}

const VIEW_TABS: readonly { id: View; label: string; shortcut: string }[] = [
  { id: 'waterfall', label: 'Waterfall', shortcut: '1' },
  { id: 'tree', label: 'Tree', shortcut: '2' },
  { id: 'flame', label: 'Flame', shortcut: '3' },
];

function TraceToolbar(props: TraceToolbarProps) {
  const { findBox, find, only, view, panelId, matches, spans, isSearching, onFind, onOnly, onView, onStep } = props;
  return (
    <div className={styles.toolbar}>
      <TextField
        ref={findBox}
        label="Find in trace"
        isLabelHidden
        type="search"
        placeholder="Find in trace"
        className={styles.find}
        value={find}
        onChange={(event) => onFind(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape' && find !== '') onFind('');
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Button aria-pressed={only.includes('errors')} onClick={() => onOnly('errors')}>
        Errors only
      </Button>
      <Button aria-pressed={only.includes('llm')} onClick={() => onOnly('llm')}>
        LLM calls only
      </Button>
      <span role="status" aria-label="Matches" className={styles.matches}>
        {matches !== null && `${formatCount(matches)} of ${formatCounted(spans, 'span')}`}
        {isSearching && ' …'}
      </span>
      <TabList label="View" items={VIEW_TABS} selected={view} panelId={panelId} onSelect={onView} />
    </div>
  );
}

const STORAGE_KEY = 'spandrel.trace-details';
/** Percent of the width that the details have. */
const SHARE = { first: 40, least: 20, most: 80, step: 2 };

/** The spans, and beside them, on narrow screens below them, the details of one. The edge between them can be moved. */
export function DetailsSplitter({ main, side }: { main: ReactNode; side: ReactNode }) {
  const [share, setShare] = useState(storedShare);
  const frame = useRef<HTMLDivElement>(null);
  const move = (percent: number): void => {
    const next = Math.min(SHARE.most, Math.max(SHARE.least, Math.round(percent)));
    setShare(next);
    try {
      localStorage.setItem(STORAGE_KEY, String(next));
    } catch {
      // Without storage it holds for this page.
    }
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
  try {
    const stored = Number(localStorage.getItem(STORAGE_KEY));
    return stored >= SHARE.least && stored <= SHARE.most ? stored : SHARE.first;
  } catch {
    return SHARE.first;
  }
}

function TimelineLegend() {
  return (
    <ul aria-label="Marks of the timeline" className={styles.legend}>
      <li>
        <span className={styles.markOwn} aria-hidden="true" /> own time
      </li>
      <li>
        <span className={styles.markChildren} aria-hidden="true" /> children
      </li>
      <li>
        <span className={styles.markCritical} aria-hidden="true" /> critical path
      </li>
      <li>
        <span className={styles.markGap} aria-hidden="true" /> nothing ran
      </li>
    </ul>
  );
}

import { useEffect, useId, useRef } from 'react';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import type { TreeGridHandle } from '../../components/tree-grid/tree-grid-props.js';
import { tabId } from '../../components/tabs/tab-list.js';
import { FlameGraph } from './flame-graph.js';
import { Minimap } from './minimap.js';
import { SpanGrid } from './span-grid.js';
import { TimelineLegend } from './timeline-legend.js';
import type { TraceModel } from './trace-model.js';
import { readOnly, toggleOnly, type TraceSearch, type View } from './trace-search.js';
import { TraceToolbar } from './trace-toolbar.js';
import { nextPlace, rowFor, rowOf } from './tree-rows.js';
import { useFoundTexts } from './use-found-texts.js';
import { useRange } from './use-range.js';
import type { useTraceAddress } from './use-trace-address.js';
import { useTraceRows } from './use-trace-rows.js';
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
              <p className={styles.none}>No span matches. Change what is looked for, or let the buttons go.</p>
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

import type { TraceListItem } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { formatCount, formatCounted } from '../../components/format/format-count.js';
import { zoneName } from '../../components/format/format-time.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridHandle } from '../../components/grid/grid-props.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useDelayed } from '../../components/use-delayed.js';
import { ColumnsPanel } from '../../features/columns/columns-panel.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { useListPlace } from '../../features/list-place.js';
import { traceAddress } from '../../features/trace-link.js';
import { rememberTraceList } from '../../features/trace-list-memory.js';
import { describeHeld } from '../../live/held-rows.js';
import { TRACE_COLUMNS, traceColumns } from './trace-columns.js';
import { TRACE_SORTS, type TracesSearch } from './traces-search.js';
import { useSelectedTraces } from './use-selected-traces.js';
import type { ListedTraces } from './use-trace-list.js';
import styles from './traces-page.module.css';

export interface TracesListProps {
  search: TracesSearch;
  listed: ListedTraces;
  onChange(search: TracesSearch, isTyped?: boolean): void;
}

const DeleteTraces = lazy(async () => ({ default: (await import('./delete-traces.js')).DeleteTraces }));

/** Rows that stand for those that are awaited. */
const AWAITED_ROWS = 30;

/** The grid of traces, what is above it, and what is done with selected ones. */
export function TracesList({ search, listed, onChange }: TracesListProps) {
  const { list, live } = listed;
  const columns = useTraceColumns(search, onChange);
  const selected = useSelectedTraces();
  const [isDeleting, setIsDeleting] = useState(false);
  const grid = useRef<GridHandle>(null);
  const navigate = useNavigate();
  const isAwaited = useDelayed(list.isWaiting && list.length === 0);
  useEffect(() => rememberTraceList({ path: '/traces', search: { ...search }, ids: idsOf(list) }));

  const showHeld = (): void => {
    live.show();
    // The rows are there with the next frame.
    requestAnimationFrame(() => grid.current?.focusRow(0));
  };
  return (
    <>
      <div className={styles.above}>
        <p role="status" aria-label="Result count" className={styles.count}>
          {describeCount(listed)}
        </p>
        <span className={styles.spacer} />
        {selected.traces.length > 0 && (
          <div role="toolbar" aria-label="Selection" className={styles.selection}>
            <span>{formatCount(selected.traces.length)} selected</span>
            <Button variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
              Delete
            </Button>
            <Button onClick={selected.clear}>Clear selection</Button>
          </div>
        )}
        <ColumnsPanel {...columns.panel} />
        {/* It comes last, so that Shift+Tab leads to it from the rows. */}
        {live.held !== null && (
          <Button className={styles.held} variant="primary" icon="arrowUp" onClick={showHeld}>
            {describeHeld(live.held, 'trace')}
          </Button>
        )}
      </div>
      <Grid<TraceListItem>
        ref={grid}
        label="Traces"
        listKey={listed.shownKey}
        columns={columns.shown}
        length={isAwaited ? AWAITED_ROWS : list.length}
        isComplete={list.isComplete}
        rowAt={list.rowAt}
        keyAt={list.keyAt}
        onVisible={list.onVisible}
        onOpen={({ id }) => void navigate({ to: traceAddress(id) })}
        selection={selected.selection}
        stateOf={({ id }) => (live.deleted.has(id) ? 'deleted' : undefined)}
        onTouched={live.onTouched}
        {...useListPlace()}
      />
      {isDeleting && (
        <Suspense fallback={null}>
          <DeleteTraces
            traces={selected.traces}
            onClose={() => setIsDeleting(false)}
            onDeleted={(ids) => {
              list.changeRows((row) => (ids.has(row.id) ? null : row));
              selected.clear();
              listed.recount();
            }}
          />
        </Suspense>
      )}
    </>
  );
}

function useTraceColumns(search: TracesSearch, onChange: TracesListProps['onChange']) {
  const { times } = usePreferences();
  const columns = useMemo(() => traceColumns(zoneName(Date.now(), times)), [times]);
  return useListColumns({
    ...{ list: 'traces', columns, offered: TRACE_COLUMNS, sorts: TRACE_SORTS, search, onChange },
  });
}

function idsOf({ length, rowAt }: ListedTraces['list']): string[] {
  return Array.from({ length }, (_, at) => rowAt(at)?.id).filter((id) => id !== undefined);
}

/** `2,013 traces`, `10,000+ traces`. */
function describeCount({ list, overTime }: ListedTraces): string {
  if (list.isComplete && !list.isWaiting) return formatCounted(list.length, 'trace');
  if (overTime === undefined) return 'Counting traces';
  const { count, exact } = overTime;
  return exact ? formatCounted(count, 'trace') : `${formatCount(count)}+ traces`;
}

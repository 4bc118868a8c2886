import type { EvalRunSummary } from '@spandrel/contract';
import { listRuns } from '../../api/evals.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { NONE, formatCount } from '../../components/format/format-count.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import { costColumn, textColumn } from '../../features/columns/usual-columns.js';
import type { LiveNews } from '../../features/live-list/live-news.js';
import { useLiveList } from '../../features/live-list/use-live-list.js';
import { useFilteredList } from '../../features/paged-list/use-filtered-list.js';
import type { LiveEvent } from '../../live/live-event.js';

/** The runs of a dataset, the newest first. */
export function RunsTab({ datasetId }: { datasetId: string }) {
  const found = useFilteredList<EvalRunSummary>({
    name: 'dataset-runs',
    filters: { datasetId },
    queryAt: () => ({ dataset_id: datasetId }),
    fetch: listRuns,
    idOf: ({ id }) => id,
  });
  const { list, shownKey } = found;
  const live = useLiveList(found, { read: runNews, byIds: () => Promise.resolve([]), recount: () => undefined }, true);
  if (list.error !== null)
    return <FaultNotice title="Runs could not be loaded" error={list.error} onRetry={list.retry} />;
  if (!list.isWaiting && list.length === 0) {
    return (
      <EmptyState title="No runs yet">
        <p>A run sends every datapoint to a model and scores what it answers.</p>
      </EmptyState>
    );
  }
  return (
    <Grid<EvalRunSummary>
      label="Runs"
      listKey={shownKey}
      columns={COLUMNS}
      length={list.length}
      isComplete={list.isComplete}
      rowAt={list.rowAt}
      keyAt={list.keyAt}
      onVisible={list.onVisible}
      onTouched={live.onTouched}
      onOpen={() => undefined}
    />
  );
}

/** Runs are few: whatever happens to one, the first page is read anew. */
const runNews = ({ type }: LiveEvent): LiveNews => (type.startsWith('eval_') ? { hasNew: true } : {});

const COLUMNS: readonly GridColumn<EvalRunSummary>[] = [
  { ...textColumn<EvalRunSummary>('name', 'Name', 160, ({ name }) => name), grows: true },
  textColumn('model', 'Model', 140, ({ config }) => config.model),
  textColumn('scoring', 'Scoring', 100, ({ scoring }) => scoring),
  textColumn('status', 'Status', 90, ({ status }) => status[0]!.toUpperCase() + status.slice(1)),
  {
    id: 'progress',
    header: 'Progress',
    width: 90,
    align: 'end',
    cell: ({ progress, total }) => `${formatCount(progress)} of ${formatCount(total)}`,
  },
  {
    id: 'score',
    header: 'Score',
    width: 64,
    align: 'end',
    cell: ({ avg_score: score }) => (score === null ? NONE : score.toFixed(2)),
  },
  costColumn('cost', 'Cost', 80, ({ total_cost }) => total_cost),
  {
    id: 'started_at',
    header: 'Started',
    width: 112,
    cell: ({ started_at: at }) => (at === null ? NONE : <Time at={at} />),
  },
];

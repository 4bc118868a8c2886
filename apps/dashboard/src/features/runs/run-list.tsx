import type { EvalRunSummary } from '@spandrel/contract';
import { formatCount, NONE, shownScore } from '@spandrel/contract/browser';
import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { api, type Query } from '../../api/api.js';
import { StatusBadge, Badge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../columns/column-choice.js';
import { cellColumn } from '../columns/cell-column.js';
import { costColumn, textColumn } from '../columns/usual-columns.js';
import { DatasetLink, RunLink } from '../links.js';
import { ScoreWithBar } from '../statistics/error-bar.js';
import { describeGates } from '../gates/gates.js';
import { useLiveList } from '../list/use-live-list.js';
import { useFilteredList } from '../list/use-paged-list.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/page-parts.js';
import { SelectionToolbar } from '../list/selection-toolbar.js';
import { useCapabilities } from '../browser-session.js';
import { hasFailedAltogether, scorersOf, stopWord, runChanges, COMPARED_MAX } from './tries.js';
import styles from './run-list.module.css';

/** Every column of the list of runs. @param zone zone of the times. @param nameOf name of a dataset by its id. */
export function runColumns(zone: string, nameOf: (datasetId: string) => string): GridColumn<EvalRunSummary>[] {
  return [
    { id: 'name', header: 'Name', width: 160, grows: 560, cell: (run) => <NameOfRun run={run} /> },
    cellColumn('dataset', 'Dataset', { width: 112, grows: 'in-wide-windows' }, ({ dataset_id: id }) => (
      <DatasetLink dataset={{ id, name: nameOf(id) }} />
    )),
    textColumn('model', 'Model', 112, ({ config }) => config.model),
    textColumn('scoring', 'Scoring', 92, scorersOf),
    { id: 'status', header: 'Status', width: 92, cell: (run) => <StatusOfRun run={run} /> },
    cellColumn(
      'progress',
      'Progress',
      { width: 80, align: 'end' },
      (run) => `${formatCount(run.progress)} of ${formatCount(run.total)}`,
    ),
    cellColumn('score', 'Score', 108, (run) => <ScoreWithBar {...shownScore(run)} />),
    { id: 'gates', header: 'Gates', width: 160, cell: (run) => <GatesBadge run={run} /> },
    costColumn('cost', 'Cost', 80, ({ total_cost }) => total_cost),
    cellColumn('started', 'Started', { note: zone, width: 136 }, (run) => (
      <Time at={run.started_at ?? run.created_at} />
    )),
  ];
}

function NameOfRun({ run }: { run: EvalRunSummary }) {
  return (
    <>
      <RunLink run={run} />
      {run.execution === 'external' && <span className={styles.mark}>External</span>}
    </>
  );
}

function StatusOfRun({ run }: { run: EvalRunSummary }) {
  const why = stopWord(run);
  if (hasFailedAltogether(run)) return <Badge tone="failed">All failed</Badge>;
  if (why === null) return <StatusBadge status={run.status} />;
  return <span title={`Cancelled: ${why}`}>Cancelled: {why}</span>;
}

const IDS = runColumns('', String).map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const RUN_COLUMNS: OfferedColumns = { all: IDS, usual: IDS };

function GatesBadge({ run: { gates, passed } }: { run: Pick<EvalRunSummary, 'gates' | 'passed'> }) {
  const words = describeGates(gates);
  if (words === null) return <>{NONE}</>;
  if (passed === null) return <Badge>{words}</Badge>;
  return <Badge tone={passed ? 'ok' : 'failed'}>{passed ? 'Passed' : `Not passed, ${words.toLowerCase()}`}</Badge>;
}

/** Characters of a text in a row, which shows far less. */
export const SHOWN_LENGTH = 300;

/** A wide column of long texts, as far as a row can show them. */
export function longTextColumn<Row>(
  id: string,
  header: string,
  width: number,
  of: (row: Row) => string | null,
): GridColumn<Row> {
  return { id, header, width, grows: true, cell: (row) => <bdi>{of(row)?.slice(0, SHOWN_LENGTH) ?? NONE}</bdi> };
}

/** A list of runs that is kept up to date. @param filters by the names of the API. */
export function useRunList(filters: Query) {
  const found = useFilteredList<EvalRunSummary>({
    name: 'runs',
    filters,
    queryAt: () => ({ ...filters }),
    operation: 'listEvalRuns',
    idOf: ({ id }) => id,
  });
  const live = useLiveList(found, { changes: runChanges, byIds: readRuns }, true);
  return { ...found, live };
}

/** Runs beyond the first page as they are now. The API lists none by their ids, and few of these still change. */
async function readRuns(ids: readonly string[]): Promise<EvalRunSummary[]> {
  const answers = await Promise.allSettled(ids.map((id) => api.getEval({ path: { id }, query: { items: 'none' } })));
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

/** The toolbar of selected runs: two to four of one dataset can be compared. */
export function CompareToolbar({ runs, onClear }: { runs: readonly EvalRunSummary[]; onClear(): void }) {
  const navigate = useNavigate();
  const isOneDataset = new Set(runs.map(({ dataset_id: id }) => id)).size === 1;
  const fault = faultOf(runs.length, isOneDataset);
  // The oldest is what the others are compared with.
  const ids = runs.toSorted((a, b) => a.created_at.localeCompare(b.created_at)).map(({ id }) => id);
  const compare = (): void => void navigate({ to: '/evaluations/compare', search: { runs: ids.join(',') } });
  return (
    <SelectionToolbar chosen={{ count: runs.length, isMore: false }} onClear={onClear}>
      {fault !== null && <span>{fault}</span>}
      <Button variant="primary" disabled={fault !== null} onClick={compare}>
        Compare
      </Button>
    </SelectionToolbar>
  );
}

function faultOf(count: number, isOneDataset: boolean): string | null {
  if (count < 2) return 'Select one more to compare';
  if (count > COMPARED_MAX) return `${COMPARED_MAX} at most can be compared`;
  return isOneDataset ? null : 'Runs of one dataset can be compared';
}

/** Says that this server works on no runs, so that nobody waits for one; nothing where it does. */
export function PausedNotice() {
  if (!useCapabilities()?.evals_paused) return null;
  return (
    <p role="status" className={styles.notice}>
      Evaluations are paused on this server (evals.paused). Runs wait until they resume.
    </p>
  );
}

interface NoRowsProps {
  /** What is listed: `results`. */
  what: string;
  isFiltered: boolean;
  onClear(): void;
  children: ReactNode;
}

/** What a list of datapoints of runs shows that has none; its children where no filter is on. */
export function NoRows({ what, isFiltered, onClear, children }: NoRowsProps) {
  if (!isFiltered) return children;
  return (
    <EmptyState title={`No ${what} match`} action={<Button onClick={onClear}>Clear filters</Button>}>
      <p>Change Show to list other {what}.</p>
    </EmptyState>
  );
}

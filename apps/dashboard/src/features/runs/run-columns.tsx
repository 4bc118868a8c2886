import type { EvalRunSummary } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../columns/column-choice.js';
import { costColumn, textColumn } from '../columns/usual-columns.js';
import { DatasetLink } from '../dataset-link.js';
import { ScoreWithBar } from '../statistics/score-with-bar.js';
import { ExternalMark } from './external-mark.js';
import { GatesBadge } from './gates-badge.js';
import { RunLink } from './run-link.js';
import { scorersOf, stopWord } from './run-words.js';

/** Every column of the list of runs. @param zone zone of the times. @param nameOf name of a dataset by its id. */
export function runColumns(zone: string, nameOf: (datasetId: string) => string): GridColumn<EvalRunSummary>[] {
  return [
    { id: 'name', header: 'Name', width: 160, grows: true, cell: (run) => <NameOfRun run={run} /> },
    {
      id: 'dataset',
      header: 'Dataset',
      width: 112,
      cell: ({ dataset_id: id }) => <DatasetLink dataset={{ id, name: nameOf(id) }} />,
    },
    textColumn('model', 'Model', 112, ({ config }) => config.model),
    textColumn('scoring', 'Scoring', 92, scorersOf),
    { id: 'status', header: 'Status', width: 92, cell: (run) => <StatusOfRun run={run} /> },
    {
      id: 'progress',
      header: 'Progress',
      width: 80,
      align: 'end',
      cell: (run) => `${formatCount(run.progress)} of ${formatCount(run.total)}`,
    },
    {
      id: 'score',
      header: 'Score',
      width: 108,
      cell: (run) => <ScoreWithBar score={run.avg_score} ci={run.score_ci} />,
    },
    { id: 'gates', header: 'Gates', width: 84, cell: (run) => <GatesBadge run={run} /> },
    costColumn('cost', 'Cost', 80, ({ total_cost }) => total_cost),
    {
      id: 'started',
      header: 'Started',
      note: zone,
      width: 136,
      cell: (run) => <Time at={run.started_at ?? run.created_at} />,
    },
  ];
}

function NameOfRun({ run }: { run: EvalRunSummary }) {
  return (
    <>
      <RunLink run={run} />
      {run.execution === 'external' && <ExternalMark />}
    </>
  );
}

function StatusOfRun({ run }: { run: EvalRunSummary }) {
  const why = stopWord(run);
  if (why === null) return <StatusBadge status={run.status} />;
  return <span title={`Cancelled: ${why}`}>Cancelled: {why}</span>;
}

const IDS = runColumns('', String).map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const RUN_COLUMNS: OfferedColumns = { all: IDS, usual: IDS };

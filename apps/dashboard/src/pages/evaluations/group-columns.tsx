import type { EvalRunSummary, EvalStatistics } from '@spandrel/contract';
import { formatScore, NONE } from '@spandrel/contract/browser';
import { formatDuration } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { RUN_COLUMNS } from '../../features/runs/run-list.js';
import { useStatistics } from '../../features/statistics/statistics-tables.js';

interface StatisticProps {
  run: EvalRunSummary;
  show(statistics: EvalStatistics): string;
}

/** A number of a run that its statistics alone have. */
function Statistic({ run, show }: StatisticProps) {
  const { data } = useStatistics(run);
  return <>{data === undefined ? NONE : show(data)}</>;
}

const statisticColumn = (id: string, header: string, show: StatisticProps['show']): GridColumn<EvalRunSummary> => ({
  ...{ id, header, width: 92, align: 'end' },
  cell: (run) => <Statistic {...{ run, show }} />,
});

/** What the runs of a group have beside the columns of all runs. */
export const GROUP_COLUMNS: readonly GridColumn<EvalRunSummary>[] = [
  statisticColumn('pass_rate', 'Pass rate', ({ score }) => formatScore(score.pass_rate.mean)),
  statisticColumn('latency', 'Latency p50', ({ latency_ms: { p50 } }) => formatDuration(p50)),
];

/** Columns of the list of a group, and those that it has when nobody chose. */
export const OF_GROUP: OfferedColumns = {
  all: [...RUN_COLUMNS.all, 'pass_rate', 'latency'],
  usual: ['name', 'model', 'status', 'progress', 'score', 'pass_rate', 'gates', 'cost', 'latency'],
};

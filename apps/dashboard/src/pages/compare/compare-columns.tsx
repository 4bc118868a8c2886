import type { ComparedItem, EvalRunSummary } from '@spandrel/contract';
import { formatDifference, formatScore } from '@spandrel/contract/browser';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { dataText } from '../../features/runs/data-text.js';
import styles from './compare-page.module.css';

const SHOWN_LENGTH = 300;

/** The columns of a comparison: one for each of its runs, in their order. */
export function compareColumns(runs: readonly EvalRunSummary[]): GridColumn<ComparedItem>[] {
  return [
    { ...textOf('input', 'Input', 140, ({ input }) => dataText(input)), grows: true },
    { ...textOf('expected', 'Expected', 110, ({ expected }) => expected ?? ''), grows: true },
    ...runs.map((run, at) => ({
      id: run.id,
      header: run.name,
      width: 150,
      grows: true,
      cell: ({ results }: ComparedItem) => <ResultCell result={results[at]} />,
    })),
    { id: 'delta', header: 'Delta', width: 72, align: 'end', cell: ({ delta }) => <Delta delta={delta} /> },
  ];
}

/** The sign says what the colour does. */
function Delta({ delta }: { delta: number | null }) {
  const change = delta === null || delta === 0 ? undefined : delta < 0 ? 'worse' : 'better';
  return (
    <span className={styles.delta} data-change={change}>
      {formatDifference(delta)}
    </span>
  );
}

function ResultCell({ result }: { result: ComparedItem['results'][number] | undefined }) {
  const text = result?.error ?? result?.output ?? '';
  return (
    <>
      <span className={styles.score}>{formatScore(result?.score)}</span>{' '}
      <bdi className={result?.error == null ? undefined : styles.failed}>{text.slice(0, SHOWN_LENGTH)}</bdi>
    </>
  );
}

function textOf(
  id: string,
  header: string,
  width: number,
  of: (row: ComparedItem) => string,
): GridColumn<ComparedItem> {
  return { id, header, width, cell: (row) => <bdi>{of(row).slice(0, SHOWN_LENGTH)}</bdi> };
}

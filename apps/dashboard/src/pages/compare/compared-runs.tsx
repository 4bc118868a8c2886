import type { EvalRunResource } from '@spandrel/contract';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { formatCost } from '../../components/format/format-cost.js';
import { COMPARED_MAX } from '../../features/runs/compared-max.js';
import { RunLink } from '../../features/runs/run-link.js';
import { useRunsOf } from '../../features/runs/use-runs-of.js';
import { ScoreWithBar } from '../../features/statistics/score-with-bar.js';
import styles from './compare-page.module.css';

interface ComparedRunsProps {
  runs: readonly EvalRunResource[];
  /** @param ids of the runs that are to be compared. */
  onChange(ids: readonly string[]): void;
}

/** The runs side by side: what each was made of, and which others could be. */
export function ComparedRuns({ runs, onChange }: ComparedRunsProps) {
  const ids = runs.map(({ id }) => id);
  return (
    <ul aria-label="Compared runs" className={styles.runs}>
      {runs.map((run) => (
        <li key={run.id} className={styles.run}>
          <RunLink run={run} />
          <span dir="auto">{run.config.model}</span>
          <span>{run.scorers.map(({ name }) => name).join(', ')}</span>
          <span>
            Score <ScoreWithBar score={run.avg_score} ci={run.score_ci} />
          </span>
          <span>{formatCost(run.total_cost)}</span>
          {runs.length > 1 && (
            <Button
              variant="quiet"
              icon="close"
              iconOnly
              onClick={() => onChange(ids.filter((id) => id !== run.id))}
            >{`Remove ${run.name}`}</Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** A choice of the runs of the same dataset that could be compared, too. */
export function AddRun({ runs, onChange }: ComparedRunsProps) {
  const datasetId = runs[0]!.dataset_id;
  const others = useRunsOf(datasetId);
  const ids = runs.map(({ id }) => id);
  const offered = others.filter(({ id }) => !ids.includes(id));
  if (runs.length >= COMPARED_MAX || offered.length === 0) return null;
  return (
    <SelectField
      label="Add run"
      value=""
      options={[{ value: '', label: 'Choose a run' }, ...offered.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={({ currentTarget: { value } }) => value !== '' && onChange([...ids, value])}
    />
  );
}

import type { ComparedItem, EvalRunResource } from '@spandrel/contract';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost } from '../../components/format/format-cost.js';
import { formatDuration } from '../../components/format/format-duration.js';
import { dataText } from '../../features/runs/data-text.js';
import { formatDelta, formatScore } from '../../features/runs/format-score.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import styles from './compare-page.module.css';

interface DifferenceRegionProps {
  item: ComparedItem;
  runs: readonly EvalRunResource[];
  /** Id of the run that the others are compared with. */
  baseline: string;
  onClose(): void;
}

type Result = ComparedItem['results'][number];

/** How the outputs of a datapoint differ from that of the baseline. */
export function DifferenceRegion({ item, runs, baseline, onClose }: DifferenceRegionProps) {
  const [mode, setMode] = useState<DiffMode>('words');
  const before = item.results.find(({ run_id: id }) => id === baseline);
  const nameOf = (id: string): string => runs.find((run) => run.id === id)?.name ?? id;
  return (
    <section aria-label="Difference" className={styles.difference}>
      <div className={styles.differenceHead}>
        <h2>Difference</h2>
        <Button variant="quiet" icon="close" iconOnly onClick={onClose}>
          Close difference
        </Button>
      </div>
      <p dir="auto">{dataText(item.input)}</p>
      {item.expected !== null && <p dir="auto">Expected: {item.expected}</p>}
      <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      {item.results
        .filter(({ run_id: id }) => id !== baseline)
        .map((after) => (
          <div key={after.run_id} className={styles.pair}>
            <h3>
              {nameOf(baseline)} and {nameOf(after.run_id)}
            </h3>
            <Changes before={before} after={after} />
            <DiffView
              beforeName={nameOf(baseline)}
              afterName={nameOf(after.run_id)}
              before={before?.output ?? ''}
              after={after.output ?? ''}
              mode={mode}
            />
            {after.score_reason !== null && <p dir="auto">{after.score_reason}</p>}
            {after.error !== null && <p className={styles.error}>{after.error}</p>}
          </div>
        ))}
    </section>
  );
}

/** Score, latency and cost, as they were and are. */
function Changes({ before, after }: { before: Result | undefined; after: Result }) {
  const delta = before?.score == null || after.score === null ? null : after.score - before.score;
  return (
    <ul aria-label="Changes" className={styles.summary}>
      <li>
        Score {formatScore(before?.score)} → {formatScore(after.score)} ({formatDelta(delta)})
      </li>
      <li>
        Latency {formatDuration(before?.latency_ms)} → {formatDuration(after.latency_ms)}
      </li>
      <li>
        Cost {formatCost(before?.cost)} → {formatCost(after.cost)}
      </li>
    </ul>
  );
}

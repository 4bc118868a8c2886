import type { ComparedItem, EvalRunResource } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatDuration } from '../../components/format.js';
import { DatapointActions, RecordedInput, RowRegion, TextBlock, RunError } from '../../features/runs/opened-row.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { describeChange } from './compare-search.js';
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
    <RowRegion
      title="Difference"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={<DatapointActions datasetId={runs[0]!.dataset_id} id={item.datapoint_id} />}
    >
      {before && <Notes result={before} name={nameOf(baseline)} />}
      <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      {item.results
        .filter(({ run_id: id }) => id !== baseline)
        .map((after) => (
          <div key={after.run_id} role="group" aria-label={nameOf(after.run_id)} className={styles.pair}>
            <h3>
              {nameOf(baseline)} → {nameOf(after.run_id)}
            </h3>
            <Changes before={before} after={after} />
            <Notes result={after} name={nameOf(after.run_id)} />
            <DiffView
              beforeName={nameOf(baseline)}
              afterName={nameOf(after.run_id)}
              before={before?.output ?? null}
              after={after.output}
              mode={mode}
            />
          </div>
        ))}
      <h3>Input</h3>
      <RecordedInput value={item.input} />
      {item.expected !== null && (
        <>
          <h3>Expected</h3>
          <TextBlock name="Expected" text={item.expected} />
        </>
      )}
    </RowRegion>
  );
}

function Notes({ result: { error, score_reason: reason, status, output }, name }: { result: Result; name: string }) {
  return (
    <>
      {error !== null && <RunError>{`${name}: ${error}`}</RunError>}
      {reason !== null && (
        <p dir="auto">
          <span className={styles.what}>{name}</span> {reason}
        </p>
      )}
      {status === null && <p>{name} has no such datapoint.</p>}
      {status !== null && output === null && error === null && <p>{name} has no output yet.</p>}
    </>
  );
}

function Changes({ before, after }: { before: Result | undefined; after: Result }) {
  return (
    <ul aria-label="Changes" className={styles.summary}>
      <li>Score {describeChange(before?.score, after.score, formatScore)}</li>
      <li>Latency {describeChange(before?.latency_ms, after.latency_ms, formatDuration)}</li>
      <li>Cost {describeChange(before?.cost, after.cost, formatCost)}</li>
    </ul>
  );
}

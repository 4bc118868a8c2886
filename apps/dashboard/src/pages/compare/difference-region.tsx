import type { ComparedItem, EvalRunResource, RunDifference } from '@spandrel/contract';
import { formatScore, NONE } from '@spandrel/contract/browser';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatDuration } from '../../components/format.js';
import { DatapointActions, RecordedInput, RowRegion, TextBlock, RunError } from '../../features/runs/opened-row.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { SamplesList } from '../../features/runs/samples-list.js';
import { wholeCost } from '../../features/runs/tries.js';
import { ScrolledTable, useStatistics } from '../../features/statistics/statistics-tables.js';
import { describeChange, type CompareSearch } from './compare-search.js';
import { useTries } from './use-comparison.js';
import { wordsOfScorer } from '../../features/scorer-words.js';
import styles from './compare-page.module.css';

interface DifferenceRegionProps {
  item: ComparedItem;
  search: CompareSearch;
  runs: readonly EvalRunResource[];
  baseline: string;
  onClose(): void;
}

type Result = ComparedItem['results'][number];

/** How the outputs of a datapoint differ from that of the baseline. */
export function DifferenceRegion({ item, runs, search, baseline, onClose }: DifferenceRegionProps) {
  const [mode, setMode] = useState<DiffMode>('side');
  const tries = useTries(runs[0]!.dataset_id, search, item);
  const before = item.results.find(({ run_id: id }) => id === baseline);
  const nameOf = (id: string): string => runs.find((run) => run.id === id)?.name ?? id;
  return (
    <RowRegion
      title="Difference"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={<DatapointActions datasetId={runs[0]!.dataset_id} id={item.datapoint_id} />}
    >
      <h3>Input</h3>
      <RecordedInput value={item.input} />
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
      {tries.map(
        ({ run_id: id, samples }) =>
          samples && <SamplesList key={id} samples={samples} title={`Tries of ${nameOf(id)}`} />,
      )}
      {item.expected !== null && (
        <>
          <h3>Expected</h3>
          <TextBlock name="Expected" text={item.expected} />
        </>
      )}
    </RowRegion>
  );
}

function Notes({ result, name }: { result: Result; name: string }) {
  const { error, score_reason: reason, status, output, edited } = result;
  return (
    <>
      {error !== null && <RunError>{`${name}: ${error}`}</RunError>}
      {reason !== null && (
        <p dir="auto">
          <span className={styles.what}>{name}</span> {reason}
        </p>
      )}
      {edited && <p>The datapoint was edited between the runs: the score in {name} is not compared.</p>}
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
      <li>Cost {describeChange(before && wholeCost(before), wholeCost(after), formatCost)}</li>
    </ul>
  );
}

/** In what a run differs from the baseline: model, prompt, parameters, scorers. */
export function RunDifferences({ run, baseline }: Record<'run' | 'baseline', EvalRunResource>) {
  const [mode, setMode] = useState<DiffMode>('side');
  const comparison = useStatistics(run, baseline.id).data?.comparison;
  if (comparison?.baseline_run_id !== baseline.id) return null;
  const differences = [...comparison.differences, ...comparison.comparable.differences];
  if (differences.length === 0) return null;
  const texts = differences.filter(isLong);
  const values = differences.filter((each) => !isLong(each));
  const title = `What differs: ${baseline.name} → ${run.name}`;
  return (
    <section aria-label={title} className="stack">
      <h2 dir="auto">{title}</h2>
      {values.length > 0 && (
        <ScrolledTable
          caption={title}
          isCaptionHidden
          columns={['What', 'Baseline', 'Run']}
          starts={['Baseline', 'Run']}
        >
          {values.map((each) => (
            <tr key={each.what}>
              <th scope="row">{each.what}</th>
              <td data-align="start" dir="auto">
                {valueOf(each, 'baseline') ?? NONE}
              </td>
              <td data-align="start" dir="auto">
                {valueOf(each, 'run') ?? NONE}
              </td>
            </tr>
          ))}
        </ScrolledTable>
      )}
      {texts.length > 0 && <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />}
      {texts.map((each) => (
        <div key={each.what} role="group" aria-label={each.what} className={styles.pair}>
          <h3>{each.what}</h3>
          <DiffView
            beforeName={baseline.name}
            afterName={run.name}
            before={valueText(each.baseline)}
            after={valueText(each.run)}
            mode={mode}
          />
        </div>
      ))}
    </section>
  );
}

const TEXTS = /\.(system_prompt|messages|rubric)$/;
const LONG_CHARACTERS = 60;

const isLong = ({ what, run, baseline }: RunDifference): boolean =>
  TEXTS.test(what) || [run, baseline].some((value) => (valueText(value)?.length ?? 0) > LONG_CHARACTERS);

const valueOf = ({ what, ...sides }: RunDifference, side: 'run' | 'baseline'): string | null =>
  what === 'scorers' && Array.isArray(sides[side]) ? sides[side].map(wordsOfScorer).join(', ') : valueText(sides[side]);

/** A value as a text, each message of a prompt below its role; `null` where there is none. */
function valueText(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value) && value.every(isMessage)) {
    return value.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
  }
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text.length > LONG_CHARACTERS ? JSON.stringify(value, null, 2) : text;
}

const isMessage = (value: unknown): value is { role: string; content: string } =>
  typeof value === 'object' && value !== null && 'role' in value && 'content' in value;

import type { EvalItem, EvalRunResource, SampleResource } from '@spandrel/contract';
import { formatCount, formatScore, formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatCostExactly, formatDuration, formatDurationExactly } from '../../components/format.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { DatapointActions, RecordedInput, RowRegion, RunError, TextBlock } from '../../features/runs/opened-row.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { runAddress, traceAddress } from '../../features/addresses.js';
import { isUnscored, NOT_SCORED, ResultBadge } from './result-badge.js';
import { Button } from '../../components/button.js';
import { describePasses, passesOf, statusWord } from './run-facts.js';
import { useSamples } from './use-run.js';
import styles from './result-region.module.css';

interface ResultRegionProps {
  item: EvalItem;
  runId: string;
  /** Left out while it is awaited. */
  run: EvalRunResource | undefined;
  onClose(): void;
}

/** One result of a run: what was expected and what came, with what was thought of it. */
export function ResultRegion({ item, runId, run, onClose }: ResultRegionProps) {
  const [mode, setMode] = useState<DiffMode>('words');
  const { input, expected, output, error, score_reason: reason, trace_id: trace } = item;
  const samples = useSamples(runId, item);
  const isOfSeveral = hasScoresByName(item);
  return (
    <RowRegion
      title="Result"
      shown={item.datapoint_id}
      onClose={onClose}
      actions={
        <>
          {run !== undefined && <DatapointActions datasetId={run.dataset_id} id={item.datapoint_id} />}
          {trace !== null && <Link to={traceAddress(trace)}>Open trace</Link>}
        </>
      }
    >
      <FactList label="Result facts" facts={resultFacts(item)} />
      {error !== null && <RunError>{error}</RunError>}
      {isOfSeveral && <ScorerList scores={item.scores} />}
      {!isOfSeveral && samples === null && reason !== null && (
        <p role="group" aria-label="Reason of the score" dir="auto">
          {reason}
        </p>
      )}
      {samples !== null && <SamplesList samples={samples} />}
      {item.former_attempts && <SamplesList samples={item.former_attempts} title="Former attempts" />}
      <h3>Input</h3>
      <RecordedInput value={input} />
      <h3>{samples === null ? 'Expected and output' : 'Expected and the first output'}</h3>
      {expected !== null && output !== null ? (
        <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      ) : (
        <p>{withoutText(item)}</p>
      )}
      <DiffView beforeName="Expected" afterName="Output" before={expected} after={output} mode={mode} />
    </RowRegion>
  );
}

/** Whether scorers said more than the score does: there are several, or one that does not count. */
const hasScoresByName = ({ score, scores }: Pick<EvalItem, 'score' | 'scores'>): boolean => {
  const said = Object.values(scores);
  return said.length > 1 || said.some((only) => only.score !== score);
};

/** Why there are no two texts to compare. */
function withoutText({ expected, output, status }: EvalItem): string {
  if (expected === null)
    return output === null ? 'There is no expected value and no output.' : 'There is no expected value.';
  return status === 'pending' || status === 'running' ? 'There is no output yet.' : 'There is no output.';
}

function resultFacts(item: EvalItem): Fact[] {
  const { latency_ms: ms, judge_model: judge, metadata, passed } = item;
  const passes = passesOf(item);
  return [
    { name: 'Status', value: isUnscored(item) ? NOT_SCORED : statusWord(item) },
    { name: 'Score', value: formatScore(item.score), exact: String(item.score ?? '') },
    ...(passes === null ? [] : [{ name: 'Passed', value: describePasses(passes) }]),
    ...(passes !== null || typeof passed !== 'boolean' ? [] : [{ name: 'Passed', value: passed ? 'Yes' : 'No' }]),
    { name: 'Latency', value: formatDuration(ms), exact: formatDurationExactly(ms) },
    { name: 'Tokens', value: formatCount(item.tokens) },
    { name: 'Cost', value: formatCost(item.cost), exact: formatCostExactly(item.cost) },
    { name: 'Attempts', value: formatCount(item.attempts) },
    ...(item.reused_run_id === null
      ? []
      : [{ name: 'Answer', value: 'That of an earlier run', to: runAddress(item.reused_run_id) }]),
    ...(judge === null ? [] : [{ name: 'Judge', value: judge }]),
    ...(metadata === null ? [] : [{ name: 'Metadata', value: JSON.stringify(metadata) }]),
  ];
}

/** So many tries are drawn at first; outputs may be long. */
const SHOWN_AT_FIRST = 20;

type Try = SampleResource & { attempt?: number };

function SamplesList({ samples, title }: { samples: readonly Try[]; title?: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? samples : samples.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <h3>{title ?? formatCounted(samples.length, 'sample')}</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <div className={styles.place} tabIndex={0} role="group" aria-label={title ?? 'Samples'}>
        {shown.map((sample) => (
          <Sample key={`${sample.repeat} ${sample.attempt}`} sample={sample} />
        ))}
      </div>
      {shown.length < samples.length && (
        <Button onClick={() => setIsWhole(true)}>{`Show all ${formatCount(samples.length)} samples`}</Button>
      )}
    </>
  );
}

function Sample({ sample }: { sample: Try }) {
  const { output, error, score_reason: reason, trace_id: trace } = sample;
  const before = sample.attempt === undefined ? '' : `, attempt ${sample.attempt + 1}`;
  const name = `Try ${sample.repeat + 1}${before}`;
  const isOfSeveral = hasScoresByName(sample);
  return (
    <article className={styles.sample} aria-label={name}>
      <h4>
        {name} <ResultBadge status={sample.status} output={output} />
      </h4>
      <FactList
        label={`Facts of ${name.toLowerCase()}`}
        facts={[
          { name: 'Score', value: formatScore(sample.score), exact: String(sample.score ?? '') },
          { name: 'Latency', value: formatDuration(sample.latency_ms) },
          { name: 'Tokens', value: formatCount(sample.tokens) },
          { name: 'Cost', value: formatCost(sample.cost) },
          ...(sample.attempts > 1 ? [{ name: 'Attempts', value: formatCount(sample.attempts) }] : []),
        ]}
      />
      {error !== null && <RunError>{error}</RunError>}
      {isOfSeveral ? <ScorerList scores={sample.scores} /> : reason !== null && <p dir="auto">{reason}</p>}
      {output !== null && <TextBlock name={`Output of ${name.toLowerCase()}`} text={output} />}
      {trace !== null && <Link to={traceAddress(trace)}>Open trace of {name.toLowerCase()}</Link>}
    </article>
  );
}

function ScorerList({ scores }: { scores: EvalItem['scores'] }) {
  return (
    <ul aria-label="Scores" className={styles.scores}>
      {Object.entries(scores).map(([name, { score, reason, error, judge_model: judge }]) => (
        <li key={name} dir="auto">
          <strong>
            {name} {formatScore(score)}
          </strong>{' '}
          {judge !== null && `by ${judge}. `}
          {reason}
          {error !== null && <span className={styles.failed}>{error}</span>}
        </li>
      ))}
    </ul>
  );
}

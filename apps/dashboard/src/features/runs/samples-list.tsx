import type { SampleResource, EvalItem } from '@spandrel/contract';
import { formatCount, formatCounted, formatScore } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge, StatusBadge, type StatusWord } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatCost, formatDuration } from '../../components/format.js';
import { traceAddress } from '../addresses.js';
import { FactList } from '../fact-list.js';
import { wordsOfScorer } from '../scorer-words.js';
import { RunError, TextBlock } from './opened-row.js';
import { wholeCost } from './tries.js';
import styles from './samples-list.module.css';

/** Whether scorers said more than the score does: there are several, or one that does not count. */
export const hasScoresByName = ({ score, scores }: Pick<EvalItem, 'score' | 'scores'>): boolean => {
  const said = Object.values(scores);
  return said.length > 1 || said.some((only) => only.score !== score || only.preference);
};

/** So many tries are drawn at first; outputs may be long. */
const SHOWN_AT_FIRST = 20;

type Try = SampleResource & { attempt?: number };

/** Tries of a datapoint side by side. @param title their number when left out. */
export function SamplesList({ samples, title }: { samples: readonly Try[]; title?: string }) {
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
          { name: 'Cost', value: formatCost(wholeCost(sample)) },
          ...(sample.attempts > 1 ? [{ name: 'Attempts', value: formatCount(sample.attempts) }] : []),
          ...((sample.judge_attempts ?? 0) > 1
            ? [{ name: 'Judge calls', value: formatCount(sample.judge_attempts) }]
            : []),
        ]}
      />
      {error !== null && <RunError>{error}</RunError>}
      {isOfSeveral ? <ScorerList scores={sample.scores} /> : reason !== null && <p dir="auto">{reason}</p>}
      {output !== null && <TextBlock name={`Output of ${name.toLowerCase()}`} text={output} />}
      {trace !== null && <Link to={traceAddress(trace)}>Open trace of {name.toLowerCase()}</Link>}
    </article>
  );
}

/** How often a judge was asked, where it was asked again: `, asked 2 times`. */
export const describeCalls = (calls: number | null | undefined): string =>
  (calls ?? 0) > 1 ? `, asked ${formatCount(calls!)} times` : '';

/** What each scorer said. */
export function ScorerList({ scores }: { scores: EvalItem['scores'] }) {
  return (
    <ul aria-label="Scores" className={styles.scores}>
      {Object.entries(scores).map(
        ([name, { score, reason, error, judge_model: judge, judge_attempts: calls, preference }]) => (
          <li key={name} dir="auto">
            <strong>
              {wordsOfScorer(name)} {formatScore(score)}
            </strong>{' '}
            {judge !== null && `by ${judge}${describeCalls(calls)}. `}
            {reason}
            <PreferenceOfPair preference={preference} />
            {error !== null && <span className="failed">{error}</span>}
          </li>
        ),
      )}
    </ul>
  );
}

const PREFERRED = { baseline: "the baseline's answer", output: 'this answer', neither: 'neither' } as const;

/** The answer that a judge preferred in each order; nothing where none was asked so. */
function PreferenceOfPair({ preference }: { preference: EvalItem['scores'][string]['preference'] }) {
  if (!preference) return null;
  const { baseline_first: after, output_first: before } = preference;
  return (
    <span>
      {` Shown second: ${PREFERRED[after]} was preferred. Shown first: ${PREFERRED[before]} was preferred.`}
      {after !== before && ' The judge disagreed with itself: a tie.'}
    </span>
  );
}

/** The status of a result: one whose output could not be scored says so. */
export function ResultBadge({ status, output }: { status: StatusWord; output: string | null }) {
  return isUnscored({ status, output }) ? <Badge tone="failed">{NOT_SCORED}</Badge> : <StatusBadge status={status} />;
}

/** Whether the model answered, and its answer could not be scored. */
export const isUnscored = ({ status, output }: { status: string; output: string | null }): boolean =>
  status === 'failed' && output !== null;

export const NOT_SCORED = 'Not scored';

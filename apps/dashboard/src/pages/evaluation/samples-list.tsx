import type { SampleResource } from '@spandrel/contract';
import { formatCount, formatCounted, formatScore } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatCost } from '../../components/format/format-cost.js';
import { formatDuration } from '../../components/format/format-duration.js';
import { FactList } from '../../features/facts/fact-list.js';
import { RunError } from '../../features/runs/run-error.js';
import { TextBlock } from '../../features/runs/text-block.js';
import { traceAddress } from '../../features/trace-link.js';
import { ScorerList } from './scorer-list.js';
import styles from './samples-list.module.css';

/** So many tries are drawn at first; outputs may be long. */
const SHOWN_AT_FIRST = 20;

/** The tries of a datapoint side by side: what each answered, and what was thought of it. */
export function SamplesList({ samples }: { samples: readonly SampleResource[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? samples : samples.slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <h3>{formatCounted(samples.length, 'sample')}</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <div className={styles.place} tabIndex={0} role="group" aria-label="Samples">
        {shown.map((sample) => (
          <Sample key={sample.repeat} sample={sample} />
        ))}
      </div>
      {shown.length < samples.length && (
        <Button onClick={() => setIsWhole(true)}>{`Show all ${formatCount(samples.length)} samples`}</Button>
      )}
    </>
  );
}

function Sample({ sample }: { sample: SampleResource }) {
  const { output, error, score_reason: reason, trace_id: trace } = sample;
  const name = `Try ${sample.repeat + 1}`;
  const isOfSeveral = Object.keys(sample.scores).length > 1;
  return (
    <article className={styles.sample} aria-label={name}>
      <h4>
        {name} <StatusBadge status={sample.status} />
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

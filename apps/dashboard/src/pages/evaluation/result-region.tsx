import type { EvalItem } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatCount } from '../../components/format/format-count.js';
import { formatDuration } from '../../components/format/format-duration.js';
import type { Fact } from '../../features/facts/fact.js';
import { FactList } from '../../features/facts/fact-list.js';
import { formatScore } from '../../features/runs/format-score.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import { traceAddress } from '../../features/trace-link.js';
import styles from './run-page.module.css';

/** One result of a run: what was expected and what came, with what was thought of it. */
export function ResultRegion({ item, onClose }: { item: EvalItem; onClose(): void }) {
  const [mode, setMode] = useState<DiffMode>('words');
  const input = typeof item.input === 'string' ? item.input : JSON.stringify(item.input, null, 2);
  return (
    <section aria-label="Result" className={styles.result}>
      <div className={styles.resultHead}>
        <h2>Result</h2>
        {item.trace_id !== null && <Link to={traceAddress(item.trace_id)}>Open trace</Link>}
        <Button variant="quiet" icon="close" iconOnly onClick={onClose}>
          Close result
        </Button>
      </div>
      <FactList label="Result facts" facts={resultFacts(item)} />
      {item.error !== null && (
        <div role="group" aria-label="Error" className={styles.error}>
          {item.error}
        </div>
      )}
      {item.score_reason !== null && <p dir="auto">{item.score_reason}</p>}
      <h3>Input</h3>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <pre role="group" aria-label="Input" tabIndex={0} className={styles.input} dir="auto">
        {input}
      </pre>
      <h3>{item.expected === null ? 'Output' : 'Expected and output'}</h3>
      {item.expected !== null && (
        <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />
      )}
      <DiffView
        beforeName="Expected"
        afterName="Output"
        // Without an expected text nothing came or went.
        before={item.expected ?? item.output ?? ''}
        after={item.output ?? ''}
        mode={item.expected === null ? 'words' : mode}
      />
    </section>
  );
}

function resultFacts(item: EvalItem): Fact[] {
  return [
    { name: 'Status', value: item.status.charAt(0).toUpperCase() + item.status.slice(1) },
    { name: 'Score', value: formatScore(item.score) },
    { name: 'Latency', value: formatDuration(item.latency_ms) },
    { name: 'Tokens', value: formatCount(item.tokens) },
    { name: 'Cost', value: formatCost(item.cost), exact: formatCostExactly(item.cost) },
    { name: 'Attempts', value: formatCount(item.attempts) },
  ];
}

import type { EvalRunResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { Link } from '@tanstack/react-router';
import { formatCost } from '../../components/format/format-cost.js';
import { FactList } from '../../features/facts/fact-list.js';
import { PausedNotice } from '../../features/runs/paused-notice.js';
import { RunError } from '../../features/runs/run-error.js';
import { spentOf, stopSentence } from '../../features/runs/run-words.js';
import { TextBlock } from '../../features/runs/text-block.js';
import { useDatasetNames } from '../../features/runs/use-dataset-names.js';
import { runFacts, statusWord } from './run-facts.js';
import styles from './run-page.module.css';

/** How far a run is, what it was made of, and what came of it. */
export function RunHead({ run }: { run: EvalRunResource }) {
  const { nameOf } = useDatasetNames();
  const { config, progress, total } = run;
  return (
    <>
      <div className={styles.progress}>
        <progress aria-label="Progress" value={total === 0 ? 1 : progress} max={total || 1} />
        <span>
          {formatCount(progress)} of {formatCount(total)}
          {run.repeats > 1 && `, ${formatCount(run.sample_progress)} of ${formatCounted(run.sample_total, 'sample')}`}
        </span>
        {/* Its end is read out; the numbers above are not, since they change with every item. */}
        <span role="status" aria-label="Run status" className="visually-hidden">
          {statusWord(run)}
        </span>
      </div>
      <CostCap run={run} />
      {stopSentence(run) !== null && <p>{stopSentence(run)}</p>}
      {(run.status === 'pending' || run.status === 'running') && <PausedNotice />}
      <FactList label="Run facts" facts={runFacts(run, nameOf(run.dataset_id))} />
      <Metadata run={run} />
      {run.error !== null && <RunError>{run.error}</RunError>}
      <FoldedText title="System prompt" text={config.system_prompt} />
      <FoldedText title="Rubric" text={config.judge?.rubric ?? null} />
    </>
  );
}

/** What the caller said of the run, a commit or a branch: each leads to the runs that have the same. */
function Metadata({ run: { metadata } }: { run: EvalRunResource }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <ul aria-label="Metadata" className={styles.metadata}>
      {entries.map(([key, value]) => (
        <li key={key} dir="auto">
          {key}{' '}
          <Link to="/evaluations" search={{ [`metadata.${key}`]: value }}>
            {value}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** How much of what the run may cost is spent; nothing where it has no cap. */
function CostCap({ run }: { run: EvalRunResource }) {
  const { max_cost_usd: cap } = run;
  if (cap === null) return null;
  const spent = spentOf(run);
  return (
    <div className={styles.progress}>
      <progress aria-label="Cost of its cap" value={Math.min(spent, cap)} max={cap} />
      <span>
        {formatCost(spent)} of {formatCost(cap)} spent
      </span>
    </div>
  );
}

function FoldedText({ title, text }: { title: string; text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <details>
      <summary>{title}</summary>
      <TextBlock name={title} text={text} />
    </details>
  );
}

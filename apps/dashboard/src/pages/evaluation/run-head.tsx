import type { EvalRunResource } from '@spandrel/contract';
import { formatCount } from '../../components/format/format-count.js';
import { FactList } from '../../features/facts/fact-list.js';
import { PausedNotice } from '../../features/runs/paused-notice.js';
import { RunError } from '../../features/runs/run-error.js';
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
        </span>
        {/* Its end is read out; the numbers above are not, since they change with every item. */}
        <span role="status" aria-label="Run status" className="visually-hidden">
          {statusWord(run)}
        </span>
      </div>
      {(run.status === 'pending' || run.status === 'running') && <PausedNotice />}
      <FactList label="Run facts" facts={runFacts(run, nameOf(run.dataset_id))} />
      {run.error !== null && <RunError>{run.error}</RunError>}
      <FoldedText title="System prompt" text={config.system_prompt} />
      <FoldedText title="Rubric" text={config.judge?.rubric ?? null} />
    </>
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

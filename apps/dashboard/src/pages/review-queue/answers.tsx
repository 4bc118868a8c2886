import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatScore } from '@spandrel/contract/browser';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import type { MessageReading } from '../../features/messages/message-reading.js';
import { MessageText } from '../../features/messages/message-text.js';
import { goesOn } from '../../features/runs/end-of-run.js';
import { RunError } from '../../features/runs/run-error.js';
import { runAddress } from '../../features/runs/run-link.js';
import styles from './answers.module.css';
import { useAnswers, type Answer } from './use-answers.js';
import { useItemReading } from './use-item-reading.js';

interface AnswersProps {
  datasetId: string;
  datapointId: string;
  /** Makes a text what the edit expects; absent where nothing is edited, `null` where the edit cannot take it. */
  onUse?: ((output: string) => void) | null;
}

/** Whether the answers are open stays as it was chosen last. */
let isOpenLast = true;

/** What the latest runs answered to the datapoint of an item; nothing where none did. */
export function Answers({ datasetId, datapointId, onUse }: AnswersProps) {
  const { answers, error, retry } = useAnswers(datasetId, datapointId);
  const reading = useItemReading();
  const [isOpen, setIsOpen] = useState(isOpenLast);
  if (answers.length === 0 && error === null) return null;
  const toggle = (open: boolean): void => {
    isOpenLast = open;
    setIsOpen(open);
  };
  return (
    <section aria-label="Answers" className={styles.answers}>
      {error !== null && (
        <FaultNotice title="The answers of the runs could not be loaded" error={error} onRetry={retry} />
      )}
      {answers.length > 0 && (
        <details open={isOpen} onToggle={({ currentTarget: { open } }) => toggle(open)}>
          <summary>
            <h2>Answers of the latest runs</h2>
          </summary>
          <ul className={styles.list}>
            {answers.map((answer) => (
              <AnswerView key={answer.run.id} {...{ answer, reading, onUse }} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

interface AnswerViewProps {
  answer: Answer;
  reading: MessageReading;
  onUse: AnswersProps['onUse'];
}

function AnswerView({ answer: { run, result }, reading, onUse }: AnswerViewProps) {
  const { name, config } = run;
  const { output, error, score, status } = result;
  return (
    <li className={styles.answer}>
      <div className={styles.head}>
        <h3>
          <Link to={runAddress(run.id)} search={{ item: result.datapoint_id } as never} dir="auto">
            {name}
          </Link>
        </h3>
        {config.model !== name && <bdi className={styles.model}>{config.model}</bdi>}
        {score === null ? <StatusBadge status={status} /> : <span>Score {formatScore(score)}</span>}
        {output !== null && onUse !== undefined && (
          <Button variant="quiet" disabled={onUse === null} onClick={() => onUse?.(output)}>
            Use as expected
          </Button>
        )}
      </div>
      {error !== null && <RunError>{error}</RunError>}
      {output !== null && output !== '' && <MessageText text={output} label={`Answer of ${name}`} reading={reading} />}
      {(output === '' || (output === null && error === null)) && (
        <p className={styles.model}>{output === null && goesOn(run) ? 'No answer yet' : 'No answer'}</p>
      )}
    </li>
  );
}

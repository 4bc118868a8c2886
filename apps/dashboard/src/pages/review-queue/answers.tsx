import { formatScore } from '@spandrel/contract/browser';
import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import { Link } from '@tanstack/react-router';
import { useQueries, useQuery } from '@tanstack/react-query';
import { api, listPage } from '../../api/api.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/page-parts.js';
import type { MessageReading } from '../../features/messages/message.js';
import { MessageText } from '../../features/messages/message-view.js';
import { goesOn } from '../../features/runs/tries.js';
import { RunError } from '../../features/runs/opened-row.js';
import { runAddress } from '../../features/addresses.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { useIdle } from '../../components/hooks.js';
import { useItemReading } from './item-view.js';
import styles from './answers.module.css';

interface AnswersProps {
  /** `null`, as the datapoint, where an item is about neither. */
  datasetId: string | null;
  datapointId: string | null;
  /** Makes a text what the edit expects; absent where nothing is edited, `null` where the edit cannot take it. */
  onUse?: ((output: string) => void) | null;
}

const MANY_LINES = 6;

/** What the latest runs answered to the datapoint of an item; nothing where none did. */
export function Answers({ datasetId, datapointId, onUse }: AnswersProps) {
  const { answers, error, retry } = useAnswers(datasetId, datapointId ?? '');
  const reading = useItemReading(answers.length > 2 ? MANY_LINES : undefined);
  if (answers.length === 0 && error === null) return null;
  return (
    <section aria-label="Answers" className={styles.answers}>
      {error !== null && (
        <FaultNotice title="The answers of the runs could not be loaded" error={error} onRetry={retry} />
      )}
      {answers.length > 0 && (
        <>
          <h2>Answers of the latest runs</h2>
          <ul className={styles.list}>
            {answers.map((answer) => (
              <AnswerView key={answer.run.id} {...{ answer, reading, onUse }} />
            ))}
          </ul>
        </>
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
        {config.model !== name && <bdi className="quiet">{config.model}</bdi>}
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
        <p className="quiet">{output === null && goesOn(run) ? 'No answer yet' : 'No answer'}</p>
      )}
    </li>
  );
}

interface Answer {
  run: EvalRunSummary;
  result: EvalItem;
}

const RUNS_MAX = 4;

const NONE: readonly Answer[] = [];

/** What the latest runs answered to a datapoint, the newest first: asked for once the page is idle. */
function useAnswers(datasetId: string | null, datapointId: string) {
  const isIdle = useIdle();
  const runs = useQuery({
    queryKey: keys.latestRuns(datasetId ?? ''),
    queryFn: async ({ signal }) =>
      (await api.listEvalRuns({ query: { dataset_id: datasetId ?? '', limit: RUNS_MAX }, signal })).runs,
    enabled: isIdle && datasetId !== null,
    refetchOnWindowFocus: false,
  });
  const latest = isIdle && !runs.isFetching ? (runs.data ?? []) : [];
  const results = useQueries({
    queries: latest.map(({ id }) => ({
      queryKey: keys.runItem(id, datapointId),
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await listPage<EvalItem>('listEvalItems', { path: { id }, query: { datapoint_id: datapointId }, signal }))
          .rows[0] ?? null,
    })),
  });
  const isComplete = results.every(({ isPending }) => !isPending);
  return {
    answers: isComplete ? latest.flatMap((run, at) => answerOf(run, results[at]!.data)) : NONE,
    // A run that was deleted meanwhile has no answer.
    error: runs.error ?? results.find(({ error }) => error !== null && !isNotFound(error))?.error ?? null,
    retry: () => {
      if (runs.error) void runs.refetch();
      for (const result of results) if (result.error) void result.refetch();
    },
  };
}

const answerOf = (run: EvalRunSummary, result: EvalItem | null | undefined): Answer[] =>
  result == null ? [] : [{ run, result }];

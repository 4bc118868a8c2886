import type { AgreementOfScores, QueueItemResource } from '@spandrel/contract';
import { formatCount, formatCounted, formatInterval, formatScore } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { formatDuration } from '../../components/format.js';
import { QueryFault } from '../../components/page-parts.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { ReviewItemLink } from '../../features/links.js';
import { scoreText } from '../../features/scores/score-answer.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { describeAgreement, MEASURES } from './describe-agreement.js';
import { summaryOf } from './item-content.js';
import styles from './review-queue-page.module.css';

/** Items on which reviewers differ that are listed. */
const DIFFERING_MAX = 50;

/** How far the review of a dataset is, who did how much of it, and whether reviewers agree. */
export function QueueProgressView({ datasetId: id }: { datasetId: string }) {
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const goOn = (): void => void navigate({ to: '.', search: {} as never });
  useShortcuts([{ keys: 'Escape', label: 'Back to the review', group: 'Review', run: goOn }]);
  const query = useQuery({
    queryKey: keys.queueProgress(id),
    queryFn: async ({ signal }) => {
      const [progress, { scores }, { items }] = await Promise.all([
        api.getQueueProgress({ path: { id }, signal }),
        api.getAgreement({ path: { id }, signal }),
        api.listDatasetQueue({ path: { id }, query: { disagreement: true, limit: DIFFERING_MAX }, signal }),
      ]);
      return { progress, scores, items };
    },
    staleTime: 0,
  });
  const { data } = query;
  return (
    <div className={styles.figures}>
      <h2 ref={heading} tabIndex={-1}>
        Progress and agreement
      </h2>
      <QueryFault title="The progress could not be loaded" query={query} />
      {data && (
        <>
          <Progress progress={data.progress} />
          <Agreement scores={data.scores} />
          <Differing datasetId={id} items={data.items} />
        </>
      )}
      <div className={styles.actions}>
        <Button variant="primary" shortcut="Esc" aria-keyshortcuts="Escape" onClick={goOn}>
          Back to the review
        </Button>
      </div>
    </div>
  );
}

type Progress = Awaited<ReturnType<typeof api.getQueueProgress>>;

const inSeconds = (seconds: number | null): string => formatDuration(seconds === null ? null : seconds * 1_000);

function Progress({ progress }: { progress: Progress }) {
  const { pending, claimed, completed, skipped, reviewers, median_seconds: median } = progress;
  return (
    <>
      <p>
        {formatCounted(completed, 'review')} completed, {formatCount(skipped)} of them without an answer;{' '}
        {formatCount(claimed)} claimed, {formatCount(pending)} pending.
        {median !== null && ` Half of them took ${inSeconds(median)} or less.`}
      </p>
      {reviewers.length > 0 && (
        <ScrolledTable caption="Reviewers" columns={['Reviewer', 'Completed', 'Claimed', 'Median time']}>
          {reviewers.map((one) => (
            <tr key={one.reviewer}>
              <th scope="row" dir="auto">
                {one.reviewer}
              </th>
              <td>{formatCount(one.completed)}</td>
              <td>{formatCount(one.claimed)}</td>
              <td>{inSeconds(one.median_seconds)}</td>
            </tr>
          ))}
        </ScrolledTable>
      )}
    </>
  );
}

const COUNTS = ['Score', 'Datapoints', 'Ratings', 'Reviewers'];

function Agreement({ scores }: { scores: readonly AgreementOfScores[] }) {
  if (scores.length === 0) return <p>Agreement is shown once two people have reviewed the same datapoint.</p>;
  return (
    <>
      {scores.map((one) => (
        <p key={one.name}>
          <strong>{one.name}</strong>: {describeAgreement(one)}
        </p>
      ))}
      <ScrolledTable caption="Agreement" columns={[...COUNTS, ...MEASURES.map(({ name }) => name)]}>
        {scores.map((one) => (
          <tr key={one.name}>
            <th scope="row">{one.name}</th>
            <td>{formatCount(one.units)}</td>
            <td>{formatCount(one.ratings)}</td>
            <td>{formatCount(one.raters)}</td>
            {MEASURES.map(({ member, interval }) => (
              <td key={member}>
                {formatScore(one[member])}
                {interval && one[interval] && ` (${formatInterval(one[interval])})`}
              </td>
            ))}
          </tr>
        ))}
      </ScrolledTable>
      <details>
        <summary>What these numbers mean</summary>
        <dl>
          {MEASURES.map(({ name, meaning }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p>1 is full agreement, 0 is what chance would give. In brackets: the 95% interval.</p>
      </details>
    </>
  );
}

function Differing({ datasetId, items }: { datasetId: string; items: readonly QueueItemResource[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="differing">
      <h3 id="differing">Where reviewers differ</h3>
      <ol aria-label="Differing reviews" className={styles.done}>
        {items.map(({ id, original_data: data, claimed_by: by, claimed_by_name: name, scores = [] }) => (
          <li key={id}>
            <ReviewItemLink datasetId={datasetId} itemId={id} text={summaryOf(data)} />
            <span className={styles.quiet}>
              <bdi>{name ?? by}</bdi>: {scores.map((score) => `${score.name} ${scoreText(score)}`).join(', ')}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

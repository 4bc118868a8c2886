import type { AgreementOfScores, JudgeAgreementOfRun, QueueItemResource } from '@spandrel/contract';
import {
  describeInterval,
  formatCount,
  formatCounted,
  formatInterval,
  formatScore,
  formatShare,
  NONE,
  scoreText,
} from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import type { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { formatDuration } from '../../components/format.js';
import { QueryFault } from '../../components/page-parts.js';
import { ReviewItemLink, RunLink } from '../../features/links.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { BackToReview } from './submitted-item.js';
import { describeAgreement, MEASURES } from './describe-agreement.js';
import { summaryOf } from './item-content.js';
import { asReader, readJudges, requestsOf } from './queue-requests.js';
import styles from './review-queue-page.module.css';

const DIFFERING_MAX = 50;

/** How far the review of a queue is, who did how much of it, and whether reviewers agree. */
export function QueueProgressView({ datasetId: id }: { datasetId: string | null }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const queue = requestsOf(id);
  const query = useQuery({
    queryKey: keys.queueProgress(id),
    queryFn: async ({ signal }) => {
      const [progress, { scores }, { items }] = await Promise.all([
        queue.progress({ signal }),
        queue.agreement({ signal }),
        queue.list({ disagreement: true, limit: DIFFERING_MAX, ...asReader() }, { signal }),
      ]);
      const judges = await readJudges(
        id,
        scores.map(({ name }) => name),
        signal,
      );
      return { progress, scores, items, judges };
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
          <Judges judges={data.judges} />
          <Differing datasetId={id} items={data.items} />
        </>
      )}
      <div className={styles.actions}>
        <BackToReview />
      </div>
    </div>
  );
}

type Progress = Awaited<ReturnType<typeof api.getQueueProgress>>;

const inSeconds = (seconds: number | null): string => formatDuration(seconds === null ? null : seconds * 1_000);

function Progress({ progress }: { progress: Progress }) {
  const { pending, claimed, completed, skipped, reviewers, median_seconds: median, estimates = [] } = progress;
  const hasGold = reviewers.some(({ gold }) => gold !== undefined);
  return (
    <>
      <p>
        {formatCounted(completed, 'review')} completed, {formatCount(skipped)} of them without an answer;{' '}
        {formatCount(claimed)} claimed, {formatCount(pending)} pending.
        {median !== null && ` Half of them took ${inSeconds(median)} or less.`}
      </p>
      {estimates.map(({ name, ci_width: width, units, mean, ci }) => (
        <p key={`${name} ${width}`}>
          <strong>{name}</strong>: the queue closes when its interval is {formatScore(width)} wide.{' '}
          {mean !== null &&
            `Now the mean is ${formatScore(mean)}, ${describeInterval(ci)}, of ${formatCount(units)} reviewed.`}
        </p>
      ))}
      {reviewers.length > 0 && (
        <ScrolledTable
          caption="Reviewers"
          columns={['Reviewer', 'Completed', 'Claimed', 'Median time', ...(hasGold ? ['Known answers'] : [])]}
        >
          {reviewers.map((one) => (
            <tr key={one.reviewer}>
              <th scope="row" dir="auto">
                {one.reviewer}
              </th>
              <td>{formatCount(one.completed)}</td>
              <td>{formatCount(one.claimed)}</td>
              <td>{inSeconds(one.median_seconds)}</td>
              {hasGold && <td>{goldWords(one)}</td>}
            </tr>
          ))}
        </ScrolledTable>
      )}
    </>
  );
}

const rateWords = (rate: JudgeAgreementOfRun['true_pass_rate']): string =>
  rate === null ? NONE : `${formatShare(rate.rate)} (${formatInterval(rate.ci, formatShare)})`;

const goldWords = ({ gold }: Progress['reviewers'][number]): string =>
  gold ? `${formatCount(gold.correct)} of ${formatCount(gold.answered)}: ${rateWords(gold.accuracy)}` : NONE;

function Judges({ judges }: { judges: Awaited<ReturnType<typeof readJudges>> }) {
  if (judges.length === 0) return null;
  const columns = ['Score', 'Judge', 'Compared', 'Passes what people pass', 'Fails what people fail', "Cohen's kappa"];
  return (
    <ScrolledTable caption="Judge agreement" columns={columns}>
      {judges.map(({ name, run, units, true_pass_rate: passed, true_fail_rate: failed, cohen_kappa: kappa }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{run ? <RunLink run={run} /> : 'Scoring rules'}</td>
          <td>{formatCount(units)}</td>
          <td>{rateWords(passed)}</td>
          <td>{rateWords(failed)}</td>
          <td>{formatScore(kappa)}</td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

const COUNTS = ['Score', 'Compared', 'Ratings', 'Reviewers'];

function Agreement({ scores }: { scores: readonly AgreementOfScores[] }) {
  if (scores.length === 0) return <p>Agreement is shown once two people have reviewed the same item.</p>;
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
            {MEASURES.map(({ member, interval, format = formatScore }) => (
              <td key={member}>
                {format(one[member])}
                {interval && one[interval] && ` (${formatInterval(one[interval], format)})`}
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

function Differing({ datasetId, items }: { datasetId: string | null; items: readonly QueueItemResource[] }) {
  if (items.length === 0) return null;
  const openGroups = new Set(items.flatMap(({ status, group_id: id }) => (status === 'completed' ? [] : [id])));
  return (
    <section aria-labelledby="differing">
      <h3 id="differing">Where reviewers differ</h3>
      <ol aria-label="Differing reviews" className={styles.done}>
        {items.map((item) => (
          <li key={item.id}>
            <ReviewItemLink datasetId={datasetId} itemId={item.id} text={summaryOf(item)} />
            <span className="quiet">
              <AnswerWords item={item} isOpen={openGroups.has(item.group_id)} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function AnswerWords({ item, isOpen }: { item: QueueItemResource; isOpen: boolean }) {
  const { status, adjudicates, claimed_by: by, claimed_by_name: name, scores = [], edited_data: edited } = item;
  if (status !== 'completed') return 'Waits for somebody who decides';
  const said = scores.map((score) => `${score.name} ${scoreText(score)}`).join(', ');
  return (
    <>
      <bdi>{name ?? by}</bdi>
      {adjudicates && ' decided'}:{' '}
      {said || (isOpen ? 'hidden until it is decided' : edited === null ? 'approved' : 'edited')}
    </>
  );
}

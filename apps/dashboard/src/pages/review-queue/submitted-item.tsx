import type { QueueItemResource } from '@spandrel/contract';
import { useQuery, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { QueryFault, FaultNotice } from '../../components/page-parts.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { Time } from '../../components/time.js';
import { datapointAddress } from '../../features/addresses.js';
import { ReviewItemLink } from '../../features/links.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { DiffView } from '../../features/text-diff/diff-view.js';
import { Answers } from './answers.js';
import { writeData, writeSubmitted, summaryOf } from './item-content.js';
import { ItemView } from './item-view.js';
import { asReader, requestsOf } from './queue-requests.js';
import { useItemContent } from './target-content.js';
import { scoreText } from '@spandrel/contract/browser';
import type { ReviewMemory } from './review-session.js';
import styles from './review-queue-page.module.css';

/** An item that was submitted, to be read only. */
export function SubmittedItem({ id, memory: { submitted } }: { id: string; memory: ReviewMemory }) {
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: keys.queueItem(id),
    queryFn: ({ signal }) => api.getQueueItem({ path: { item_id: id }, query: asReader(), signal }),
    staleTime: 0,
  });
  const at = submitted.indexOf(id);
  const earlier = at === -1 ? undefined : submitted[at - 1];
  const goBack = (): void => {
    if (earlier !== undefined) void navigate({ to: '.', search: { item: earlier } as never });
  };
  useShortcuts([{ keys: 'u', label: 'Back to last', group: 'Review', run: goBack }]);
  return (
    <>
      {isNotFound(query.error) && <p>This item was deleted with what it is about.</p>}
      {query.error && !isNotFound(query.error) && (
        <FaultNotice title="The item could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && <ReadItem item={query.data} />}
      <div role="toolbar" aria-label="Review" className={styles.actions}>
        <BackToReview />
        <Button shortcut="u" disabled={earlier === undefined} onClick={goBack}>
          Back to last
        </Button>
      </div>
    </>
  );
}

function ReadItem({ item }: { item: QueueItemResource }) {
  const region = useRef<HTMLElement>(null);
  useLayoutEffect(() => region.current?.focus({ preventScroll: true }), []);
  const content = useItemContent(item);
  const { dataset_id: datasetId, datapoint_id: datapointId, edited_data: edited } = item;
  return (
    <>
      <p className={styles.outcome}>
        <strong>{describeOutcome(item)}</strong>
        {item.claimed_by !== null && (
          <span>
            by <bdi>{item.claimed_by_name ?? item.claimed_by}</bdi>
          </span>
        )}
        {item.claimed_at !== null && (
          <span>
            claimed <Time at={item.claimed_at} />
          </span>
        )}
        {datasetId !== null && datapointId !== null && (
          <Link to={datapointAddress(datasetId, datapointId)}>Open datapoint</Link>
        )}
      </p>
      {(item.scores?.length || item.comment) && <FactList label="Review answers" facts={answerFacts(item)} />}
      <div className={styles.session} data-edits={edited !== null || undefined}>
        <div className={styles.reading}>
          <section ref={region} aria-label="Item" tabIndex={-1} className={styles.item}>
            <h2 className="visually-hidden">Item</h2>
            <ItemView item={item} {...content} />
          </section>
          <Answers datasetId={datasetId} datapointId={datapointId} />
        </div>
        {edited !== null && (
          <section aria-label="Changes" className={styles.changes}>
            <h2>Changes</h2>
            <DiffView
              beforeName="Original"
              afterName="Edited"
              before={item.original_data === null ? (content.content?.answer ?? '') : writeData(item.original_data)}
              after={writeSubmitted(edited)}
              mode="words"
            />
          </section>
        )}
      </div>
    </>
  );
}

function answerFacts({ scores = [], comment }: QueueItemResource): Fact[] {
  const said = comment ? [{ name: 'Comment', comment }] : [];
  return [...scores, ...said].map((score) => ({ name: score.name, value: scoreText(score) }));
}

function describeOutcome({ status, edited_data: edited, skipped }: QueueItemResource): string {
  if (status !== 'completed') return status === 'claimed' ? 'Claimed, not submitted' : 'Pending';
  if (skipped) return 'Submitted without an answer';
  return edited === null ? 'Approved without changes' : 'Submitted with an edit';
}

/** The way back to the item under review, by its key, too. */
export function BackToReview() {
  const navigate = useNavigate();
  const goOn = (): void => void navigate({ to: '.', search: {} as never });
  useShortcuts([{ keys: 'Escape', label: 'Back to the review', group: 'Review', run: goOn }]);
  return (
    <Button variant="primary" shortcut="Esc" aria-keyshortcuts="Escape" onClick={goOn}>
      Back to the review
    </Button>
  );
}

/** What a reviewer submitted, oldest first. @param reviewer `null` for everybody's. */
export function DoneItems({ datasetId, reviewer }: { datasetId: string | null; reviewer: string | null }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const query = useInfiniteQuery({
    queryKey: keys.completedItems(datasetId, reviewer),
    queryFn: ({ pageParam, signal }) => {
      const [by, cursor] = [reviewer ?? undefined, pageParam ?? undefined];
      return requestsOf(datasetId).list({ status: 'completed', claimed_by: by, cursor, ...asReader() }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    staleTime: 0,
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {reviewer === null ? 'What was reviewed' : 'What I reviewed'}
      </h2>
      <QueryFault title="The items could not be loaded" query={query} />
      {query.data && items.length === 0 && <p>Nothing of this queue has been submitted yet.</p>}
      <ol aria-label="Reviewed items" className={styles.done}>
        {items.map((item) => (
          <li key={item.id}>
            <ReviewItemLink datasetId={datasetId} itemId={item.id} text={summaryOf(item)} />
            <span className="quiet">
              {item.skipped ? 'No answer' : item.edited_data === null ? 'Approved' : 'Edited'}
            </span>
          </li>
        ))}
      </ol>
      <div className={styles.actions}>
        <BackToReview />
        {query.hasNextPage && (
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { keys } from '../../api/keys.js';
import { listCompleted } from '../../api/queue.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { ReviewItemLink } from '../../features/review-link.js';
import { summaryOf } from './item-content.js';
import styles from './review-queue-page.module.css';

/** What a reviewer submitted, oldest first. @param reviewer `null` for everybody's. */
export function DoneItems({ datasetId, reviewer }: { datasetId: string; reviewer: string | null }) {
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const goOn = (): void => void navigate({ to: '.', search: {} as never });
  useShortcuts([{ keys: 'Escape', label: 'Back to the review', group: 'Review', run: goOn }]);
  const query = useInfiniteQuery({
    queryKey: keys.completedItems(datasetId, reviewer),
    queryFn: ({ pageParam, signal }) => listCompleted(datasetId, reviewer, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  const items = query.data?.pages.flatMap(({ rows }) => rows) ?? [];
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {reviewer === null ? 'What was reviewed' : 'What I reviewed'}
      </h2>
      {query.error && (
        <FaultNotice title="The items could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && items.length === 0 && <p>Nothing of this queue has been submitted yet.</p>}
      <ol aria-label="Reviewed items" className={styles.done}>
        {items.map(({ id, original_data: data, edited_data: edited }) => (
          <li key={id}>
            <ReviewItemLink datasetId={datasetId} itemId={id} text={summaryOf(data)} />
            <span className={styles.quiet}>{edited === null ? 'Approved' : 'Edited'}</span>
          </li>
        ))}
      </ol>
      <div className={styles.actions}>
        <Button variant="primary" shortcut="Esc" aria-keyshortcuts="Escape" onClick={goOn}>
          Back to the review
        </Button>
        {query.hasNextPage && (
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}

import type { DatasetResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { keys } from '../../api/keys.js';
import { useCapabilities } from '../../features/browser-session.js';
import { TARGETS_PATH } from '../../features/addresses.js';
import { readReviewerName, TARGETS_NAME } from '../../features/review-counts.js';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useWayUp } from '../../features/list/way-up.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { ClaimedItem } from './claimed-item.js';
import { QueueProgressView } from './queue-progress.js';
import { DoneItems, SubmittedItem } from './submitted-item.js';
import { useCountsOf, useReviewSession, type ReviewCounts } from './use-review-session.js';
import type { ReviewSession, ReviewMemory } from './review-session.js';
import styles from './review-queue-page.module.css';

const route = getRouteApi('/review/$id');

export interface ReviewSearch {
  item?: string;
  /** `done` lists what the reviewer submitted, `progress` says how far all are and whether they agree. */
  view?: 'done' | 'progress';
}

const readReviewSearch = ({ item, view }: Record<string, unknown>): ReviewSearch => ({
  ...(typeof item === 'string' && item !== '' && { item }),
  ...((view === 'done' || view === 'progress') && { view }),
});

/** What is reviewed: a dataset, or traces, spans and sessions. */
type Reviewed = Pick<DatasetResource, 'name' | 'description'> & { id: string | null };

const TARGETS: Reviewed = { id: null, name: TARGETS_NAME, description: null };

/** `/review/:dataset_id`, `/review/traces`: one item after the other, and nothing else. */
export function ReviewQueuePage() {
  const { id } = route.useParams();
  const isOfDataset = id !== TARGETS_PATH;
  const dataset = useQuery({
    queryKey: keys.dataset(id),
    enabled: isOfDataset,
    queryFn: ({ signal }) => api.getDataset({ path: { id }, signal }),
  });
  const reviewed = isOfDataset ? dataset.data : TARGETS;
  const capabilities = useCapabilities();
  if (isNotFound(dataset.error)) return <NotFound what="Dataset" back={<Link to="/review">Go to Review</Link>} />;
  return (
    <>
      <PageHeading
        title={reviewed ? `Review ${isOfDataset ? reviewed.name : reviewed.name.toLowerCase()}` : 'Review'}
      />
      <QueryFault title="The dataset could not be loaded" query={dataset} />
      {reviewed && capabilities && (
        <Review
          key={id}
          dataset={reviewed}
          reviewer={capabilities.mode === 'local' ? readReviewerName().trim() || null : null}
          isLocal={capabilities.mode === 'local'}
        />
      )}
    </>
  );
}

interface ReviewProps {
  dataset: Reviewed;
  reviewer: string | null;
  isLocal: boolean;
}

function Review({ dataset, reviewer, isLocal }: ReviewProps) {
  const { item: readId, view } = usePageSearch(readReviewSearch);
  const counts = useCountsOf(dataset.id);
  const isReading = readId !== undefined || view !== undefined;
  const { session, state, memory } = useReviewSession({ datasetId: dataset.id, reviewer, isWanted: !isReading });
  // Nobody has a name of their own in local mode unless they say one.
  const name = reviewer ?? (isLocal ? 'local' : memory.reviewer);
  const instructions = state.item?.instructions ?? dataset.description;
  return (
    <>
      <ReviewProgress counts={counts} said={state.said} />
      {instructions && view !== 'progress' && <Instructions text={instructions} />}
      {readId !== undefined && <SubmittedItem key={readId} id={readId} memory={memory} />}
      {readId === undefined && view === 'done' && <DoneItems datasetId={dataset.id} reviewer={name} />}
      {readId === undefined && view === 'progress' && <QueueProgressView datasetId={dataset.id} />}
      {!isReading && state.fault && (
        <FaultNotice title={state.fault.title} error={state.fault.error} onRetry={state.fault.retry} />
      )}
      {!isReading && state.isEmpty && <NothingLeft {...{ session, memory, counts }} />}
      {!isReading && state.item !== null && (
        <ClaimedItem key={state.item.id} {...{ session, memory }} item={state.item} isBusy={state.isBusy} />
      )}
      {!isReading && state.item === null && state.isBusy && <div className={styles.waiting} aria-hidden="true" />}
    </>
  );
}

interface NothingLeftProps {
  session: ReviewSession;
  memory: ReviewMemory;
  counts: ReviewCounts | null;
}

function NothingLeft({ session, memory, counts }: NothingLeftProps) {
  const navigate = useNavigate();
  const part = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => part.current?.focus({ preventScroll: true }), []);
  useWayUp('/review', 'Review');
  const { skipped, released, submitted } = memory;
  const readLast = (): void => {
    const last = submitted.at(-1);
    if (last !== undefined) void navigate({ to: '.', search: { item: last } as never });
  };
  useShortcuts([{ keys: 'u', label: 'Back to last', group: 'Review', run: readLast }]);
  return (
    <div ref={part} tabIndex={-1}>
      <EmptyState
        title="Nothing left to review"
        action={
          counts !== null &&
          counts.completed > 0 && (
            <Button variant="primary" onClick={() => void navigate({ to: '.', search: { view: 'done' } as never })}>
              Review what I did
            </Button>
          )
        }
      >
        {counts !== null && (
          <p>
            {formatCount(counts.completed)} completed, {formatCount(counts.claimed)} claimed by others,{' '}
            {formatCount(counts.pending)} pending.
          </p>
        )}
        {(skipped.length > 0 || released.length > 0) && (
          <p>
            You skipped {formatCounted(skipped.length, 'item')} and released {formatCounted(released.length, 'item')}:
            these wait for somebody else, and are not offered to you again in this tab.
          </p>
        )}
        {submitted.length > 0 && (
          <Button shortcut="u" onClick={readLast}>
            Back to last
          </Button>
        )}
        {skipped.length > 0 && <Button onClick={() => session.takeSkipped()}>Review skipped items</Button>}
        <Button onClick={() => session.lookAgain()}>Check for new items</Button>
      </EmptyState>
    </div>
  );
}

interface ReviewProgressProps {
  counts: ReviewCounts | null;
  said: string;
}

function ReviewProgress({ counts, said }: ReviewProgressProps) {
  const total = counts === null ? 0 : counts.pending + counts.claimed + counts.completed;
  const navigate = useNavigate();
  const open = (): void => void navigate({ to: '.', search: { view: 'progress' } as never });
  useShortcuts([{ keys: 'p', label: 'Progress and agreement', group: 'Review', run: open }]);
  const words = counts === null ? '' : `${formatCount(counts.completed)} of ${formatCount(total)} reviewed`;
  return (
    <div className={styles.progress}>
      <progress aria-label="Reviewed" aria-valuetext={words} value={counts?.completed ?? 0} max={Math.max(1, total)}>
        {words}
      </progress>
      <span>{words}</span>
      <Link to="." search={{ view: 'progress' } as never} aria-keyshortcuts="p">
        Progress and agreement <kbd aria-hidden="true">p</kbd>
      </Link>
      <span role="status" aria-label="Review status">
        {said}
      </span>
    </div>
  );
}

function Instructions({ text }: { text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  useShortcuts([{ keys: 'i', label: 'Instructions', group: 'Review', run: () => setIsOpen(!isOpen) }]);
  return (
    <details open={isOpen} className={styles.instructions} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary aria-keyshortcuts="i">
        Instructions <kbd aria-hidden="true">i</kbd>
      </summary>
      <p dir="auto">{text}</p>
    </details>
  );
}

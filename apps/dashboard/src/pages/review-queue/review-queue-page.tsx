import type { DatasetResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound } from '../../api/api-error.js';
import { readDataset } from '../../api/dataset.js';
import { keys } from '../../api/keys.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { readReviewerName } from '../../features/reviewer-name.js';
import { ClaimedItem } from './claimed-item.js';
import { DoneItems } from './done-items.js';
import { Instructions } from './instructions.js';
import { NothingLeft } from './nothing-left.js';
import { ReviewProgress } from './review-progress.js';
import { SubmittedItem } from './submitted-item.js';
import { useCountsOf } from './use-counts-of.js';
import { useReviewDesk } from './use-review-desk.js';
import styles from './review-queue-page.module.css';

const route = getRouteApi('/review/$id');

/** `/review/:dataset_id`: one item after the other, and nothing else. */
export function ReviewQueuePage() {
  const { id } = route.useParams();
  const dataset = useQuery({ queryKey: keys.dataset(id), queryFn: ({ signal }) => readDataset(id, signal) });
  const capabilities = useCapabilities();
  if (isNotFound(dataset.error)) return <DatasetNotFound />;
  return (
    <>
      <PageHeading title={dataset.data ? `Review ${dataset.data.name}` : 'Review'} />
      {dataset.error && (
        <FaultNotice
          title="The dataset could not be loaded"
          error={dataset.error}
          onRetry={() => void dataset.refetch()}
        />
      )}
      {dataset.data && capabilities && (
        <Review
          key={id}
          dataset={dataset.data}
          reviewer={capabilities.mode === 'local' ? readReviewerName().trim() || null : null}
          isLocal={capabilities.mode === 'local'}
        />
      )}
    </>
  );
}

interface ReviewProps {
  dataset: DatasetResource;
  reviewer: string | null;
  isLocal: boolean;
}

function Review({ dataset, reviewer, isLocal }: ReviewProps) {
  const { item: readId, view } = route.useSearch();
  const { counts, ...counting } = useCountsOf(dataset.id);
  const isReading = readId !== undefined || view === 'done';
  const { desk, state, memory } = useReviewDesk({
    ...{ datasetId: dataset.id, reviewer, isWanted: !isReading },
    ...counting,
  });
  // Nobody has a name of their own in local mode unless they say one.
  const name = reviewer ?? (isLocal ? 'local' : memory.reviewer);
  return (
    <>
      <ReviewProgress counts={counts} said={state.said} />
      {dataset.description !== null && dataset.description !== '' && <Instructions text={dataset.description} />}
      {readId !== undefined && <SubmittedItem key={readId} id={readId} memory={memory} />}
      {readId === undefined && view === 'done' && <DoneItems datasetId={dataset.id} reviewer={name} />}
      {!isReading && state.fault && (
        <FaultNotice title={state.fault.title} error={state.fault.error} onRetry={state.fault.retry} />
      )}
      {!isReading && state.isEmpty && <NothingLeft {...{ desk, memory, counts }} />}
      {!isReading && state.item !== null && (
        <ClaimedItem key={state.item.id} {...{ desk, memory }} item={state.item} isBusy={state.isBusy} />
      )}
      {!isReading && state.item === null && state.isBusy && <div className={styles.waiting} aria-hidden="true" />}
    </>
  );
}

function DatasetNotFound() {
  return (
    <>
      <PageHeading title="Dataset not found" />
      <EmptyState title="There is no such dataset in this project" action={<Link to="/review">Go to Review</Link>}>
        <p>It may have been deleted with its queue, or its address may have been cut.</p>
      </EmptyState>
    </>
  );
}

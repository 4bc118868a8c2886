import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { QueueCount } from '../../api/queue.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import { zoneName } from '../../components/format/format-time.js';
import { Grid } from '../../components/grid/grid.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListPlace } from '../../features/list-place.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { reviewAddress } from '../../features/review-link.js';
import { keepReviewerName, readReviewerName } from '../../features/reviewer-name.js';
import { useQueueCounts } from '../../features/use-queue-counts.js';
import { queueColumns } from './queue-columns.js';
import styles from './review-page.module.css';

const NO_QUEUES: readonly QueueCount[] = [];

/** `/review`: the queues of all datasets, and where to begin. */
export function ReviewPage() {
  const counts = useQueueCounts();
  const capabilities = useCapabilities();
  const { times } = usePreferences();
  const columns = useMemo(() => queueColumns(zoneName(Date.now(), times)), [times]);
  const navigate = useNavigate();
  const place = useListPlace();
  const queues = counts.data ?? NO_QUEUES;
  const isEmpty = counts.isSuccess && queues.length === 0;
  return (
    <>
      <PageHeading title="Review" />
      {counts.error && (
        <FaultNotice
          title="The queues could not be loaded"
          error={counts.error}
          onRetry={() => void counts.refetch()}
        />
      )}
      {isEmpty ? (
        <EmptyState title="No queues yet" action={<Link to="/datasets">Go to Datasets</Link>}>
          <p>
            A queue holds datapoints that people check: they approve each one, or correct it. Select datapoints of a
            dataset and press Send to review, and its queue is here.
          </p>
        </EmptyState>
      ) : (
        <>
          {capabilities?.mode === 'local' && <ReviewerName />}
          <Grid<QueueCount>
            label="Queues"
            columns={columns}
            length={queues.length}
            isComplete={counts.isSuccess}
            rowAt={(index) => queues[index]}
            keyAt={(index) => queues[index]?.dataset_id ?? String(index)}
            onOpen={({ dataset_id: id }) => void navigate({ to: reviewAddress(id) })}
            {...place}
          />
        </>
      )}
    </>
  );
}

/** Nobody signs in in local mode: who reviews says who they are. */
function ReviewerName() {
  const [name, setName] = useState(readReviewerName);
  return (
    <TextField
      label="Your name"
      hint="Others see it beside what you have claimed and reviewed."
      autoComplete="name"
      maxLength={512}
      className={styles.name}
      value={name}
      onChange={({ currentTarget: { value } }) => {
        setName(value);
        keepReviewerName(value);
      }}
    />
  );
}

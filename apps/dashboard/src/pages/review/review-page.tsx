import { formatCount, NONE } from '@spandrel/contract/browser';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { keepReviewerName, readReviewerName, useQueueCounts, type QueueCount } from '../../features/review-counts.js';
import { TextField } from '../../components/field.js';
import { zoneName } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { useCapabilities } from '../../features/browser-session.js';
import { reviewAddress, TARGETS_PATH } from '../../features/addresses.js';
import { DatasetLink } from '../../features/links.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { useMayReview } from '../../components/button.js';
import { Time } from '../../components/time.js';
import styles from './review-page.module.css';

type Queue = QueueCount & { id: string };

/** `/review`: the queues of all datasets, and where to begin. */
export function ReviewPage() {
  const counts = useQueueCounts();
  const capabilities = useCapabilities();
  const { times } = usePreferences();
  const columns = useMemo(() => queueColumns(zoneName(Date.now(), times)), [times]);
  const navigate = useNavigate();
  const queues = (counts.data ?? []).map((queue) => ({ ...queue, id: queue.dataset_id ?? TARGETS_PATH }));
  return (
    <>
      <PageHeading title="Review" />
      <QueryGrid<Queue>
        label="Queues"
        query={counts}
        rows={queues}
        columns={columns}
        onOpen={({ dataset_id: id }) => void navigate({ to: reviewAddress(id) })}
        above={capabilities?.mode === 'local' && <ReviewerName />}
        empty={
          <EmptyState title="No queues yet" action={<Link to="/datasets">Go to Datasets</Link>}>
            <p>
              A queue holds what people are to judge: datapoints, traces, spans or sessions. To fill one, select some in
              their list and press Send to review.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}

/** Nobody signs in in local mode: who reviews says who they are. */
function ReviewerName() {
  const [name, setName] = useState(readReviewerName);
  return (
    <TextField
      label="Your name"
      hint="Others see it beside the items that you claim and review."
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

type Column = GridColumn<QueueCount>;

function queueColumns(zone: string): Column[] {
  return [
    {
      ...{ id: 'dataset', header: 'Dataset', width: 200, grows: 560 },
      cell: ({ dataset_id: id, name }) => (id === null ? name : <DatasetLink dataset={{ id, name }} />),
    },
    countOf('pending', 'Pending', ({ pending }) => pending),
    countOf('claimed', 'Claimed', ({ claimed }) => claimed),
    countOf('completed', 'Completed', ({ completed }) => completed),
    {
      ...{ id: 'oldest', header: 'Oldest', note: zone, width: 136 },
      cell: ({ oldest_pending_at: at }) => (at === null ? NONE : <Time at={at} />),
    },
    {
      ...{ id: 'start', header: 'Review', width: 280 },
      cell: ({ dataset_id: id, name }) => <StartLink id={id} name={name} />,
    },
  ];
}

function StartLink({ id, name }: { id: string | null; name: string }) {
  if (!useMayReview()) return 'Needs the scope review or write';
  return (
    <Link to={reviewAddress(id)}>
      Start reviewing <bdi>{id === null ? name.toLowerCase() : name}</bdi>
    </Link>
  );
}

function countOf(id: string, header: string, of: (row: QueueCount) => number): Column {
  return { id, header, width: 80, align: 'end', cell: (row) => formatCount(of(row)) };
}

import { Link } from '@tanstack/react-router';
import { formatCount, NONE } from '@spandrel/contract/browser';
import type { QueueCount } from '../../api/queue.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { useMayReview } from '../../components/may-write.js';
import { Time } from '../../components/time.js';
import { DatasetLink } from '../../features/dataset-link.js';
import { reviewAddress } from '../../features/review-link.js';

type Column = GridColumn<QueueCount>;

/** Every column of the list of queues. @param zone zone of the times, shown in the header. */
export function queueColumns(zone: string): Column[] {
  return [
    {
      ...{ id: 'dataset', header: 'Dataset', width: 200, grows: true },
      cell: ({ dataset_id: id, name }) => <DatasetLink dataset={{ id, name }} />,
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

/** The way into a review, which claims items. */
function StartLink({ id, name }: { id: string; name: string }) {
  if (!useMayReview()) return 'Needs the scope review or write';
  return (
    <Link to={reviewAddress(id)}>
      Start reviewing <bdi>{name}</bdi>
    </Link>
  );
}

function countOf(id: string, header: string, of: (row: QueueCount) => number): Column {
  return { id, header, width: 80, align: 'end', cell: (row) => formatCount(of(row)) };
}

import type { AuditEntry } from '@spandrel/contract';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import { describeAction, describeActor, describeDetails, describeTarget, type ProjectNames } from './audit-words.js';

/**
 * Every column of the audit log: names in words, with ids and JSON as titles.
 * @param zone zone of the times, shown in the header.
 */
export const auditColumns = (zone: string, projects: ProjectNames): GridColumn<AuditEntry>[] => [
  { id: 'at', header: 'Time', note: zone, width: 136, cell: ({ at }) => <Time at={at} /> },
  {
    id: 'actor',
    header: 'By',
    width: 160,
    cell: (entry) => <bdi title={entry.actor}>{describeActor(entry)}</bdi>,
  },
  {
    id: 'action',
    header: 'Action',
    width: 180,
    cell: ({ action }) => <span title={action}>{describeAction(action)}</span>,
  },
  {
    id: 'target',
    header: 'What',
    width: 160,
    cell: (entry) => <bdi title={entry.target_id}>{describeTarget(entry, projects)}</bdi>,
  },
  {
    id: 'details',
    header: 'Details',
    width: 220,
    grows: true,
    cell: ({ details }) => <bdi title={JSON.stringify(details, null, 2)}>{describeDetails(details, projects)}</bdi>,
  },
  {
    id: 'address',
    header: 'From',
    width: 120,
    cell: ({ address, request_id: id }) => (
      <span title={id === null ? undefined : `Request ${id}`}>{address ?? ''}</span>
    ),
  },
];

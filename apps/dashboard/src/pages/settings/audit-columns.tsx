import type { AuditEntry } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { zoneName, type Zone } from '../../components/format/format-time.js';
import { Time } from '../../components/time.js';
import { describeAction, describeActor, describeDetails, describeTarget, type ProjectNames } from './audit-words.js';

/**
 * Every column of the audit log: names in words; a row opens the whole entry.
 * @param zone in which times are told, shown in the header.
 */
export const auditColumns = (zone: Zone, projects: ProjectNames): GridColumn<AuditEntry>[] => [
  { id: 'at', header: 'Time', note: zoneName(Date.now(), zone), width: 136, cell: ({ at }) => <Time at={at} /> },
  {
    id: 'actor',
    header: 'By',
    width: 160,
    cell: (entry) => <bdi>{describeActor(entry)}</bdi>,
  },
  {
    id: 'action',
    header: 'Action',
    width: 180,
    cell: ({ action }) => describeAction(action),
  },
  {
    id: 'target',
    header: 'What',
    width: 160,
    cell: (entry) => <bdi>{describeTarget(entry, projects)}</bdi>,
  },
  {
    id: 'details',
    header: 'Details',
    width: 220,
    grows: true,
    cell: ({ details }) => <bdi>{describeDetails(details, projects, zone)}</bdi>,
  },
  {
    id: 'address',
    header: 'From',
    width: 120,
    cell: ({ address }) => address ?? NONE,
  },
];

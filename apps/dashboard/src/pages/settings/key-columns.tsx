import type { KeyResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import styles from './settings-page.module.css';

/** Why a key is refused though it has not ended. */
const SUSPENDED =
  'Refused: who made it has no role in its project any more, or the identity provider does not confirm them.';

/**
 * Every column of the list of keys.
 * @param zone zone of the times, shown in the headers.
 * @param projects names of projects by their ids.
 */
export function keyColumns(
  zone: string,
  projects: ReadonlyMap<string, string>,
  onRevoke: (key: KeyResource) => void,
): GridColumn<KeyResource>[] {
  return [
    { id: 'name', header: 'Name', width: 140, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
    { id: 'prefix', header: 'Begins with', width: 120, cell: ({ prefix }) => <code>{prefix}</code> },
    { id: 'scopes', header: 'Scopes', width: 170, cell: ({ scopes }) => scopes.join(', ') },
    {
      id: 'project',
      header: 'Project',
      width: 140,
      cell: ({ project_id: id }) => <bdi title={id}>{projects.get(id) ?? id}</bdi>,
    },
    {
      id: 'expires_at',
      header: 'Ends',
      note: zone,
      width: 136,
      cell: ({ expires_at: at }) => (at === null ? 'Never' : <Time at={at} />),
    },
    {
      id: 'state',
      header: 'State',
      width: 100,
      cell: ({ state }) => <span {...(state === 'suspended' && { title: SUSPENDED })}>{state}</span>,
    },
    {
      id: 'maker',
      header: 'Made by',
      width: 140,
      cell: ({ maker, service_account: isServiceAccount }) => (
        <bdi title={maker?.id}>
          {maker === null ? NONE : (maker.name ?? maker.id)}
          {isServiceAccount ? ', for a service' : ''}
        </bdi>
      ),
    },
    {
      id: 'last_used_at',
      header: 'Last used',
      note: zone,
      width: 136,
      cell: ({ last_used_at: at }) => (at === null ? 'Not yet' : <Time at={at} />),
    },
    { id: 'created_at', header: 'Created', note: zone, width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
    {
      id: 'actions',
      header: 'Actions',
      width: 80,
      cell: (row) => (
        <Button className={styles.rowButton} aria-label={`Revoke ${row.name}`} onClick={() => onRevoke(row)}>
          Revoke
        </Button>
      ),
    },
  ];
}

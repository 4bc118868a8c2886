import type { MemberResource } from '@spandrel/contract';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import styles from './settings-page.module.css';

/** What a member is called: the name that the identity provider tells, else the address. */
export const memberName = ({ person, email, id }: MemberResource): string =>
  person?.name ?? email ?? person?.email ?? id;

/**
 * Every column of the list of members.
 * @param projects names of projects by their ids.
 */
export function memberColumns(
  projects: ReadonlyMap<string, string>,
  onAct: (act: 'change' | 'remove', member: MemberResource) => void,
): GridColumn<MemberResource>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 160,
      grows: true,
      cell: (row) => <bdi title={row.person?.id ?? ''}>{memberName(row)}</bdi>,
    },
    { id: 'email', header: 'E-mail', width: 200, cell: ({ email }) => email ?? '' },
    { id: 'role', header: 'Role', width: 90, cell: ({ role }) => role },
    {
      id: 'project',
      header: 'Project',
      width: 140,
      cell: ({ project_id: id }) => (id === null ? 'All' : <bdi title={id}>{projects.get(id) ?? id}</bdi>),
    },
    {
      id: 'source',
      header: 'From',
      width: 130,
      cell: ({ source, person }) => (source === 'groups' ? 'a group' : person === null ? 'never signed in' : 'added'),
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 150,
      cell: (row) => row.source === 'added' && <Actions member={row} onAct={onAct} />,
    },
  ];
}

function Actions({
  member,
  onAct,
}: {
  member: MemberResource;
  onAct: (act: 'change' | 'remove', member: MemberResource) => void;
}) {
  const name = memberName(member);
  return (
    <>
      <Button className={styles.rowButton} aria-label={`Change ${name}`} onClick={() => onAct('change', member)}>
        Change
      </Button>{' '}
      <Button className={styles.rowButton} aria-label={`Remove ${name}`} onClick={() => onAct('remove', member)}>
        Remove
      </Button>
    </>
  );
}

import type { MemberResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { Time } from '../../components/time.js';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { actsOn, type Giver } from './giving.js';
import styles from './settings-page.module.css';

/** What a member is called: the name that the identity provider tells, else the address. */
export const memberName = ({ person, email, id }: MemberResource): string =>
  person?.name ?? email ?? person?.email ?? id;

/** What the identity provider said of a member. */
const PROVIDER_WORDS: Readonly<Record<MemberResource['provider_status'], { word: string; title: string }>> = {
  active: { word: 'Active', title: 'It confirmed them when it was asked last.' },
  removed: {
    word: 'Removed',
    title: 'It does not confirm them any more: their browsers are signed out, and their keys refused.',
  },
  unknown: { word: 'Unknown', title: 'It was not asked about them for a day, or never.' },
};

type OnAct = (act: 'change' | 'remove', member: MemberResource) => void;

export interface MemberContext {
  /** Names of projects by their ids. */
  projects: ReadonlyMap<string, string>;
  /** Who looks at the list. */
  giver: Giver;
  /** All members, as far as they were read. */
  members: readonly MemberResource[];
  onAct: OnAct;
}

/** Every column of the list of members. */
export function memberColumns({ projects, giver, members, onAct }: MemberContext): GridColumn<MemberResource>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 160,
      grows: true,
      cell: (row) => <bdi>{row.person?.name ?? NONE}</bdi>,
    },
    {
      id: 'email',
      header: 'E-mail',
      width: 220,
      grows: true,
      cell: ({ email }) => <bdi title={email ?? undefined}>{email ?? NONE}</bdi>,
    },
    { id: 'role', header: 'Role', width: 90, cell: ({ role }) => role },
    {
      id: 'project',
      header: 'Project',
      width: 140,
      cell: ({ project_id: id }) =>
        id === null ? 'All projects' : <bdi title={projects.get(id)}>{projects.get(id) ?? id}</bdi>,
    },
    {
      id: 'source',
      header: 'From',
      width: 130,
      cell: ({ source, person }) =>
        source === 'groups' ? 'A group' : person === null ? 'Added, not here yet' : 'Added',
    },
    {
      id: 'provider',
      header: 'Identity provider',
      width: 170,
      cell: ({ provider_status: status, provider_asked_at: at }) => (
        <span title={PROVIDER_WORDS[status].title}>
          {PROVIDER_WORDS[status].word}
          {at !== null && (
            <>
              , <Time at={at} />
            </>
          )}
        </span>
      ),
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 150,
      cell: (row) => <Actions member={row} may={actsOn(giver, row, members)} onAct={onAct} />,
    },
  ];
}

function Actions({ member, may, onAct }: { member: MemberResource; may: ReturnType<typeof actsOn>; onAct: OnAct }) {
  const name = memberName(member);
  return (
    <>
      {may.change && (
        <Button className={styles.rowButton} aria-label={`Change ${name}`} onClick={() => onAct('change', member)}>
          Change
        </Button>
      )}{' '}
      {may.remove && (
        <Button className={styles.rowButton} aria-label={`Remove ${name}`} onClick={() => onAct('remove', member)}>
          Remove
        </Button>
      )}
    </>
  );
}

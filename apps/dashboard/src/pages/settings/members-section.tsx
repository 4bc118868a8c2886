import type { MemberResource, ProjectResource, Role } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useMemo, useState } from 'react';
import { FormDialog, ConfirmAction } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { notify } from '../../components/notify.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { Time } from '../../components/time.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { SelectField, TextField } from '../../components/field.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { AdministeredGrid, Section, useProjects } from './section.js';
import { rolesToGive, actsOn, type Giver } from './giving.js';
import styles from './settings-page.module.css';

/** The people of the organization and their roles. */
export function MembersSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList<MemberResource>('members', 'listMembers', orgId);
  const { projects, names } = useProjects(orgId);
  const [opened, setOpened] = useState<{ act: 'add' | 'change' | 'remove'; member: MemberResource | null } | null>(
    null,
  );
  const session = useBrowserSession();
  const giver = useMemo<Giver>(() => ({ role: session?.role ?? null, scopes: session?.scopes ?? [] }), [session]);
  const members = list.readRows;
  const columns = useMemo(
    () => memberColumns({ projects: names, giver, members, onAct: (act, member) => setOpened({ act, member }) }),
    [names, giver, members],
  );
  const close = (): void => setOpened(null);
  const onDone = (): void => {
    close();
    void reread();
  };
  return (
    <Section
      title="Members"
      actions={
        rolesToGive(giver, null).length > 0 && (
          <Button icon="plus" onClick={() => setOpened({ act: 'add', member: null })}>
            Add member
          </Button>
        )
      }
    >
      <AdministeredGrid
        label="Members"
        list={list}
        columns={columns}
        empty="No members yet. Members sign in with the identity provider: add them by e-mail address, or map its groups to roles."
      />
      {opened !== null && opened.act !== 'remove' && (
        <MemberDialog {...{ orgId, projects, giver, onDone }} changed={opened.member} onClose={close} />
      )}
      {opened?.act === 'remove' && <RemoveMember member={opened.member!} onDone={onDone} onClose={close} />}
    </Section>
  );
}

function RemoveMember({ member, onDone, onClose }: { member: MemberResource; onDone(): void; onClose(): void }) {
  const name = memberName(member);
  return (
    <ConfirmAction
      title="Remove member?"
      action="Remove"
      act={() => api.deleteMember({ path: { id: member.org_id, member_id: member.id } })}
      onDone={onDone}
      done={`Removed ${name}`}
      failed="The member could not be removed"
      onClose={onClose}
    >
      <p>
        <bdi>{name}</bdi> loses the role {member.role} within a second, in browsers that are signed in, too. API keys
        that they created are refused while they have no role in the project of the key; keys of service accounts keep
        working.
      </p>
    </ConfirmAction>
  );
}

/** What a member is called: the name that the identity provider has, else the address. */
const memberName = ({ person, email, id }: MemberResource): string => person?.name ?? email ?? person?.email ?? id;

const PROVIDER_WORDS: Readonly<Record<MemberResource['provider_status'], { word: string; title: string }>> = {
  active: { word: 'Active', title: 'Confirmed by the last check.' },
  removed: {
    word: 'Removed',
    title: 'No longer confirmed: their browsers are signed out, and their keys are refused.',
  },
  unknown: { word: 'Unknown', title: 'Not checked for a day or longer.' },
};

type OnAct = (act: 'change' | 'remove', member: MemberResource) => void;

interface MemberContext {
  projects: ReadonlyMap<string, string>;
  giver: Giver;
  members: readonly MemberResource[];
  onAct: OnAct;
}

function memberColumns({ projects, giver, members, onAct }: MemberContext): GridColumn<MemberResource>[] {
  return [
    cellColumn('name', 'Name', { width: 160, grows: true }, (row) => <bdi>{row.person?.name ?? NONE}</bdi>),
    cellColumn('email', 'E-mail', { width: 200, grows: true }, ({ email }) => (
      <bdi title={email ?? undefined}>{email ?? NONE}</bdi>
    )),
    { id: 'role', header: 'Role', width: 90, cell: ({ role }) => role },
    cellColumn('project', 'Project', 140, ({ project_id: id }) =>
      id === null ? 'All projects' : <bdi title={projects.get(id)}>{projects.get(id) ?? id}</bdi>,
    ),
    cellColumn('source', 'From', 190, ({ source, person }) =>
      source === 'groups' ? 'A group' : person === null ? 'Added, has not signed in yet' : 'Added',
    ),
    cellColumn('provider', 'Identity provider', 170, ({ provider_status: status, provider_asked_at: at }) => (
      <span title={PROVIDER_WORDS[status].title}>
        {PROVIDER_WORDS[status].word}
        {at !== null && (
          <>
            , <Time at={at} />
          </>
        )}
      </span>
    )),
    cellColumn('actions', 'Actions', 168, (row) => (
      <Actions member={row} may={actsOn(giver, row, members)} onAct={onAct} />
    )),
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

const WORDS: Readonly<Record<Role, string>> = {
  viewer: 'viewer: reads',
  reviewer: 'reviewer: reads, and reviews items of the queue',
  editor: 'editor: changes everything in a project',
  admin: 'admin: also administers the organization',
  owner: 'owner: also makes and removes owners',
};

interface MemberDialogProps {
  orgId: string;
  projects: readonly ProjectResource[];
  giver: Giver;
  changed: MemberResource | null;
  onDone(): void;
  onClose(): void;
}

function MemberDialog({ orgId, projects, giver, changed, onDone, onClose }: MemberDialogProps) {
  const [place, setPlace] = useState(changed?.project_id ?? '');
  const project_id = place === '' ? null : place;
  const send = (form: FormData): Promise<MemberResource> => {
    const role = String(form.get('role')) as Role;
    return changed
      ? api.updateMember({ path: { id: changed.org_id, member_id: changed.id }, body: { role } })
      : api.createMember({ path: { id: orgId }, body: { email: String(form.get('email')), role, project_id } });
  };
  const roles = rolesToGive(giver, project_id).toReversed();
  const places = [
    { value: '', label: 'All projects' },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <FormDialog
      title={changed ? 'Change member' : 'Add member'}
      size="small"
      action={changed ? 'Change' : 'Add'}
      failed="The role could not be assigned"
      send={send}
      onSent={(member) => {
        notify(`${memberName(member)} is ${member.role}`);
        onDone();
      }}
      onClose={onClose}
    >
      {changed ? (
        <p>
          The role of <bdi>{memberName(changed)}</bdi>.
        </p>
      ) : (
        <>
          <TextField
            label="E-mail"
            name="email"
            type="email"
            required
            hint="The address that the identity provider has for this person."
          />
          <SelectField
            label="Project"
            options={places}
            value={place}
            onChange={({ target }) => setPlace(target.value)}
          />
        </>
      )}
      <SelectField
        label="Role"
        name="role"
        options={roles.map((role) => ({ value: role, label: WORDS[role] }))}
        defaultValue={changed?.role ?? 'viewer'}
        {...(place !== '' && { hint: 'Owners and administrators always belong to all projects.' })}
      />
    </FormDialog>
  );
}

import type { MemberResource, ProjectResource, Role } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState, useId, type FormEvent } from 'react';
import { NONE } from '@spandrel/contract/browser';
import { listMembers, listProjects, removeMember, addMember, changeMember } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog, Dialog } from '../../components/dialog.js';
import { notify, notifyError } from '../../components/notify.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { AdministeredGrid, Section, useAdministeredList } from './section.js';
import { rolesToGive, actsOn, type Giver } from './giving.js';
import { Time } from '../../components/time.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { FaultNotice } from '../../components/page-parts.js';
import { SelectField, TextField } from '../../components/field.js';
import styles from './settings-page.module.css';

/** The people of the organization and their roles. */
export function MembersSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList('members', (cursor, signal) => listMembers(orgId, cursor, signal));
  const { list: projects } = useAdministeredList('projects', (cursor, signal) => listProjects(orgId, cursor, signal));
  const [opened, setOpened] = useState<'new' | { act: 'change' | 'remove'; member: MemberResource } | null>(null);
  const names = useMemo(() => new Map(projects.readRows.map(({ id, name }) => [id, name])), [projects.readRows]);
  const session = useBrowserSession();
  const giver = useMemo<Giver>(() => ({ role: session?.role ?? null, scopes: session?.scopes ?? [] }), [session]);
  const members = list.readRows;
  const columns = useMemo(
    () => memberColumns({ projects: names, giver, members, onAct: (act, member) => setOpened({ act, member }) }),
    [names, giver, members],
  );
  const close = (): void => setOpened(null);
  const onDone = (said: string): void => {
    close();
    void reread();
    notify(said);
  };
  return (
    <Section
      title="Members"
      actions={
        rolesToGive(giver, null).length > 0 && (
          <Button icon="plus" onClick={() => setOpened('new')}>
            Add member
          </Button>
        )
      }
    >
      <AdministeredGrid
        label="Members"
        list={list}
        columns={columns}
        empty="Nobody yet. Members are people who sign in with the identity provider: add them by their address, or have its groups give them roles."
      />
      {opened === 'new' && (
        <MemberDialog orgId={orgId} projects={projects.readRows} giver={giver} onDone={onDone} onClose={close} />
      )}
      {opened !== null && opened !== 'new' && opened.act === 'change' && (
        <MemberDialog
          orgId={orgId}
          projects={projects.readRows}
          giver={giver}
          changed={opened.member}
          onDone={onDone}
          onClose={close}
        />
      )}
      {opened !== null && opened !== 'new' && opened.act === 'remove' && (
        <RemoveMember member={opened.member} onDone={onDone} onClose={close} />
      )}
    </Section>
  );
}

interface RemoveMemberProps {
  member: MemberResource;
  onDone(said: string): void;
  onClose(): void;
}

/** Asks whether a role shall be taken away, and takes it. */
function RemoveMember({ member, onDone, onClose }: RemoveMemberProps) {
  const name = memberName(member);
  const removal = useMutation({
    mutationFn: () => removeMember(member),
    onSuccess: () => onDone(`Removed ${name}`),
    onError: (error) => {
      onClose();
      notifyError('The member could not be removed', error);
    },
  });
  return (
    <ConfirmDialog
      title="Remove member?"
      action="Remove"
      isBusy={removal.isPending}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>
        Within a second <bdi>{name}</bdi> is {member.role} no more, in browsers that are signed in too. API keys that
        they made are refused as long as they have no role in their project; those for a service go on.
      </p>
    </ConfirmDialog>
  );
}

/** What a member is called: the name that the identity provider reports, else the address. */
const memberName = ({ person, email, id }: MemberResource): string => person?.name ?? email ?? person?.email ?? id;

/** What the identity provider said of a member. */
const PROVIDER_WORDS: Readonly<Record<MemberResource['provider_status'], { word: string; title: string }>> = {
  active: { word: 'Active', title: 'Confirmed by the identity provider at the last check.' },
  removed: {
    word: 'Removed',
    title: 'No longer confirmed: their browsers are signed out, and their keys refused.',
  },
  unknown: { word: 'Unknown', title: 'Not checked for a day, or never.' },
};

type OnAct = (act: 'change' | 'remove', member: MemberResource) => void;

interface MemberContext {
  /** Names of projects by their ids. */
  projects: ReadonlyMap<string, string>;
  /** Who looks at the list. */
  giver: Giver;
  /** All members, as far as they were read. */
  members: readonly MemberResource[];
  onAct: OnAct;
}

/** Every column of the list of members. */
function memberColumns({ projects, giver, members, onAct }: MemberContext): GridColumn<MemberResource>[] {
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

/** What a member may be, in words. */
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
  /** The member that gets another role; a new one where it is left out. */
  changed?: MemberResource;
  onDone(said: string): void;
  onClose(): void;
}

/** Gives somebody a role, or another one. */
function MemberDialog({ orgId, projects, giver, changed, onDone, onClose }: MemberDialogProps) {
  const formId = useId();
  const [place, setPlace] = useState(changed?.project_id ?? '');
  const giving = useMutation({
    mutationFn: (form: FormData) => {
      const role = String(form.get('role')) as Role;
      if (changed) return changeMember(changed, role);
      return addMember(orgId, { email: String(form.get('email')), role, project_id: place === '' ? null : place });
    },
    onSuccess: (member) => onDone(`${memberName(member)} is ${member.role}`),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!giving.isPending) giving.mutate(new FormData(event.currentTarget));
  };
  const roles = rolesToGive(giver, place === '' ? null : place).toReversed();
  const places = [
    { value: '', label: 'All projects' },
    ...projects.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <Dialog
      title={changed ? 'Change member' : 'Add member'}
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={giving.isPending}>
            {changed ? 'Change' : 'Add'}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        {changed ? (
          <p>
            The role of <bdi>{memberName(changed)}</bdi>.
          </p>
        ) : (
          <TextField
            label="E-mail"
            name="email"
            type="email"
            required
            hint="The address at the identity provider. The person who signs in with it gets the role."
          />
        )}
        {!changed && (
          <SelectField
            label="Project"
            options={places}
            value={place}
            onChange={({ target }) => setPlace(target.value)}
          />
        )}
        <SelectField
          label="Role"
          name="role"
          options={roles.map((role) => ({ value: role, label: WORDS[role] }))}
          defaultValue={changed?.role ?? 'viewer'}
          {...(place !== '' && { hint: 'Owners and administrators are so of all projects.' })}
        />
        {giving.error && <FaultNotice title="The role could not be given" error={giving.error} />}
      </form>
    </Dialog>
  );
}

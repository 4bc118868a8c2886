import type { MemberResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { listMembers, listProjects, removeMember } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { AdministeredGrid } from './administered-grid.js';
import { rolesToGive, type Giver } from './giving.js';
import { memberColumns, memberName } from './member-columns.js';
import { MemberDialog } from './member-dialog.js';
import { Section } from './section.js';
import { useAdministeredList } from './use-administered-list.js';

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

import type { MemberResource, ProjectResource, Role } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { addMember, changeMember } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField, TextField } from '../../components/field.js';
import { rolesToGive, type Giver } from './giving.js';
import { memberName } from './member-columns.js';
import styles from './settings-page.module.css';

/** What a member may be, in words. */
const WORDS: Readonly<Record<Role, string>> = {
  viewer: 'viewer: reads',
  reviewer: 'reviewer: reads, and reviews items of the queue',
  editor: 'editor: changes everything in a project',
  admin: 'admin: also administers the organization',
  owner: 'owner: also makes and removes owners',
};

export interface MemberDialogProps {
  orgId: string;
  projects: readonly ProjectResource[];
  giver: Giver;
  /** The member that gets another role; a new one where it is left out. */
  changed?: MemberResource;
  onDone(said: string): void;
  onClose(): void;
}

/** Gives somebody a role, or another one. */
export function MemberDialog({ orgId, projects, giver, changed, onDone, onClose }: MemberDialogProps) {
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
            hint="As the identity provider has it: whoever signs in with it has the role."
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

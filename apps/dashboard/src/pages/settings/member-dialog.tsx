import type { MemberResource, ProjectResource, Role } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, type FormEvent } from 'react';
import { addMember, changeMember } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField, TextField } from '../../components/field.js';
import { memberName } from './member-columns.js';
import styles from './settings-page.module.css';

/** What a member may be, in words. */
const ROLES: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: reads' },
  { value: 'reviewer', label: 'reviewer: reads, claims and submits' },
  { value: 'editor', label: 'editor: changes everything in a project' },
  { value: 'admin', label: 'admin: administers the organization' },
  { value: 'owner', label: 'owner: makes owners, too' },
];

export interface MemberDialogProps {
  orgId: string;
  projects: readonly ProjectResource[];
  /** The member that gets another role; a new one where it is left out. */
  changed?: MemberResource;
  onDone(said: string): void;
  onClose(): void;
}

/** Gives somebody a role, or another one. */
export function MemberDialog({ orgId, projects, changed, onDone, onClose }: MemberDialogProps) {
  const formId = useId();
  const giving = useMutation({
    mutationFn: (form: FormData) => {
      const role = String(form.get('role')) as Role;
      if (changed) return changeMember(changed, role);
      const project = String(form.get('project'));
      return addMember(orgId, { email: String(form.get('email')), role, project_id: project === '' ? null : project });
    },
    onSuccess: (member) => onDone(`${memberName(member)} is ${member.role}`),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!giving.isPending) giving.mutate(new FormData(event.currentTarget));
  };
  const places = [{ value: '', label: 'All' }, ...projects.map(({ id, name }) => ({ value: id, label: name }))];
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
        <SelectField label="Role" name="role" options={ROLES} defaultValue={changed?.role ?? 'viewer'} />
        {!changed && <SelectField label="Project" name="project" options={places} />}
        {giving.error && <FaultNotice title="The role could not be given" error={giving.error} />}
      </form>
    </Dialog>
  );
}

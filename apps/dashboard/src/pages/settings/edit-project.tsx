import type { ProjectResource, UpdateProject } from '@spandrel/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, type FormEvent } from 'react';
import { updateProject } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { CheckboxField, TextField } from '../../components/field.js';
import { notify } from '../../components/notifications/notify.js';
import { BROWSER_SESSION } from '../../features/sign-in/use-browser-session.js';
import styles from './settings-page.module.css';

interface EditProjectProps {
  project: ProjectResource;
  onChanged(): void;
  onClose(): void;
}

/** Changes what can be set of a project: name, retention, protection. */
export function EditProject({ project, onChanged, onClose }: EditProjectProps) {
  const formId = useId();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: UpdateProject) => updateProject(project.id, body),
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: BROWSER_SESSION.queryKey });
      onClose();
      onChanged();
      notify(`Changed the project ${name}`);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate(changeOf(new FormData(event.currentTarget)));
  };
  return (
    <Dialog
      title="Change project"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={change.isPending}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" name="name" required defaultValue={project.name} />
        <TextField
          label="Days that traces are kept"
          name="days"
          type="number"
          min={1}
          defaultValue={project.retention_days ?? ''}
          hint="Empty: as long as the organization keeps them, which is the most."
        />
        <CheckboxField
          label="Protected: nobody deletes the project, all of its traces or a dataset until this is lifted"
          name="protected"
          defaultChecked={project.protected}
        />
        {change.error && <FaultNotice title="The project could not be changed" error={change.error} />}
      </form>
    </Dialog>
  );
}

function changeOf(form: FormData): UpdateProject {
  const days = String(form.get('days')).trim();
  return {
    name: String(form.get('name')),
    retention_days: days === '' ? null : Number(days),
    protected: form.get('protected') !== null,
  };
}

import type { ProjectResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { deleteProject } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { notify } from '../../components/notifications/notify.js';
import styles from './settings-page.module.css';

interface DeleteProjectProps {
  project: ProjectResource;
  onDeleted(): void;
  onClose(): void;
}

/** Deletes a project, once somebody typed its name. */
export function DeleteProject({ project, onDeleted, onClose }: DeleteProjectProps) {
  const formId = useId();
  const isOwn = useBrowserSession()?.project?.id === project.id;
  const [typed, setTyped] = useState('');
  const deletion = useMutation({
    mutationFn: () => deleteProject(project.id),
    onSuccess: () => {
      onClose();
      onDeleted();
      notify(`The project ${project.name} is out of reach and being deleted`);
    },
  });
  const isMeant = typed.trim() === project.name.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !deletion.isPending) deletion.mutate();
  };
  return (
    <Dialog
      title="Delete project?"
      role="alertdialog"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" type="submit" form={formId} disabled={!isMeant || deletion.isPending}>
            Delete
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <p>
          Within a second nobody reaches the project <bdi>{project.name}</bdi> any more, and its keys and sessions end.
          Its traces, datasets, evaluations, reviews and connections are deleted, and cannot be had back.
        </p>
        {isOwn && <p>It is the project that you are signed in to: you are signed out with it.</p>}
        <TextField
          label="Type the name of the project to confirm"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {deletion.error && <FaultNotice title="The project could not be deleted" error={deletion.error} />}
      </form>
    </Dialog>
  );
}

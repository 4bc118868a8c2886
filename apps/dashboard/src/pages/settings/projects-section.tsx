import type { ProjectResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useState, type FormEvent } from 'react';
import { createProject, listProjects } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import { zoneName } from '../../components/format/format-time.js';
import { notify } from '../../components/notifications/notify.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useLatest } from '../../components/use-latest.js';
import { AdministeredGrid } from './administered-grid.js';
import { DeleteProject } from './delete-project.js';
import { projectColumns } from './project-columns.js';
import { EditProject } from './edit-project.js';
import { Section } from './section.js';
import { useAdministeredList } from './use-administered-list.js';
import styles from './settings-page.module.css';

/** How often it is asked how far deletions are. */
const PROGRESS_MS = 3_000;

/** The projects of the organization, each with data and keys of its own. */
export function ProjectsSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList('projects', (cursor, signal) => listProjects(orgId, cursor, signal));
  const [isOpen, setIsOpen] = useState(false);
  const [edited, setEdited] = useState<ProjectResource | null>(null);
  const [deleted, setDeleted] = useState<ProjectResource | null>(null);
  const { times } = usePreferences();
  const columns = useMemo(
    () => projectColumns(zoneName(Date.now(), times), { onEdit: setEdited, onDelete: setDeleted }),
    [times],
  );
  const isDeleting = list.readRows.some(({ removal }) => removal !== null);
  const latest = useLatest(() => void reread());
  useEffect(() => {
    if (!isDeleting) return undefined;
    const timer = setInterval(() => latest(), PROGRESS_MS);
    return () => clearInterval(timer);
  }, [isDeleting, latest]);
  const onCreated = ({ name }: ProjectResource): void => {
    setIsOpen(false);
    void reread();
    notify(`Made the project ${name}; it needs a key of its own`);
  };
  return (
    <Section
      title="Projects"
      actions={
        <Button icon="plus" onClick={() => setIsOpen(true)}>
          New project
        </Button>
      }
    >
      <AdministeredGrid
        label="Projects"
        list={list}
        columns={columns}
        empty="No projects yet. Each has data and keys of its own."
      />
      {isOpen && <ProjectDialog orgId={orgId} onCreated={onCreated} onClose={() => setIsOpen(false)} />}
      {edited && <EditProject project={edited} onChanged={() => void reread()} onClose={() => setEdited(null)} />}
      {deleted && <DeleteProject project={deleted} onDeleted={() => void reread()} onClose={() => setDeleted(null)} />}
    </Section>
  );
}

interface ProjectDialogProps {
  orgId: string;
  onCreated(project: ProjectResource): void;
  onClose(): void;
}

function ProjectDialog({ orgId, onCreated, onClose }: ProjectDialogProps) {
  const formId = useId();
  const creation = useMutation({ mutationFn: (name: string) => createProject(orgId, name), onSuccess: onCreated });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    creation.mutate(String(new FormData(event.currentTarget).get('name')));
  };
  return (
    <Dialog
      title="New project"
      size="small"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={creation.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" name="name" required />
        {creation.error && <FaultNotice title="The project could not be made" error={creation.error} />}
      </form>
    </Dialog>
  );
}

import type { ProjectResource } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useMemo, useState, type FormEvent } from 'react';
import { createProject, listProjects } from '../../api/administration.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { TextField } from '../../components/field.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { notify } from '../../components/notifications/notify.js';
import { Time } from '../../components/time.js';
import { formatCounted } from '../../components/format/format-count.js';
import { AdministeredGrid } from './administered-grid.js';
import { EditProject } from './edit-project.js';
import { Section } from './section.js';
import { useAdministeredList } from './use-administered-list.js';
import styles from './settings-page.module.css';

/** Every column of the list of projects. */
const columnsOf = (onEdit: (project: ProjectResource) => void): GridColumn<ProjectResource>[] => [
  { id: 'name', header: 'Name', width: 160, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { id: 'id', header: 'ID', width: 230, cell: ({ id }) => id },
  {
    id: 'retention_days',
    header: 'Keeps traces',
    width: 130,
    cell: ({ retention_days: days }) => (days === null ? 'As the organization' : formatCounted(days, 'day')),
  },
  { id: 'protected', header: 'Protected', width: 84, cell: (row) => (row.protected ? 'Yes' : 'No') },
  { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (row) => (
      <Button className={styles.rowButton} aria-label={`Change ${row.name}`} onClick={() => onEdit(row)}>
        Change
      </Button>
    ),
  },
];

/** The projects of the organization, each with data and keys of its own. */
export function ProjectsSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList('projects', (cursor, signal) => listProjects(orgId, cursor, signal));
  const [isOpen, setIsOpen] = useState(false);
  const [edited, setEdited] = useState<ProjectResource | null>(null);
  const columns = useMemo(() => columnsOf(setEdited), []);
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
      <AdministeredGrid label="Projects" list={list} columns={columns} />
      {isOpen && <ProjectDialog orgId={orgId} onCreated={onCreated} onClose={() => setIsOpen(false)} />}
      {edited && <EditProject project={edited} onChanged={() => void reread()} onClose={() => setEdited(null)} />}
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

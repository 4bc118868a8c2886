import type { ProjectResource, UpdateProject } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { FormDialog, NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { TextField, CheckboxField } from '../../components/field.js';
import { zoneName } from '../../components/format.js';
import { notify } from '../../components/notify.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useLatest } from '../../components/hooks.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { BROWSER_SESSION, useBrowserSession } from '../../features/browser-session.js';
import { useAdministeredList } from '../../features/list/use-paged-list.js';
import { AdministeredGrid, Section, TypedConfirmation } from './section.js';
import styles from './settings-page.module.css';

const PROGRESS_MS = 3_000;

type Opened = OpenedDialog<ProjectResource, 'Change' | 'Delete'>;

/** The projects of the organization, each with data and keys of its own. */
export function ProjectsSection({ orgId }: { orgId: string }) {
  const { list, reread } = useAdministeredList<ProjectResource>('projects', 'listProjects', orgId);
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const onChanged = (): void => void reread();
  const { times } = usePreferences();
  const columns = useMemo(() => projectColumns(zoneName(Date.now(), times), setOpened), [times]);
  const isDeleting = list.readRows.some(({ removal }) => removal !== null);
  const latest = useLatest(() => void reread());
  useEffect(() => {
    if (!isDeleting) return undefined;
    const timer = setInterval(() => latest(), PROGRESS_MS);
    return () => clearInterval(timer);
  }, [isDeleting, latest]);
  const onCreated = ({ name }: ProjectResource): void => {
    close();
    onChanged();
    notify(`Created the project ${name}; it needs a key of its own`);
  };
  return (
    <Section
      title="Projects"
      actions={
        <Button icon="plus" onClick={() => setOpened(NEW_ROW)}>
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
      {opened?.word === 'New' && (
        <FormDialog
          title="New project"
          size="small"
          action="Create"
          failed="The project could not be created"
          send={(form) => api.createProject({ path: { id: orgId }, body: { name: String(form.get('name')) } })}
          onSent={onCreated}
          onClose={close}
        >
          <TextField label="Name" name="name" required />
        </FormDialog>
      )}
      {opened?.word === 'Change' && <EditProject project={opened.row} {...{ onChanged }} onClose={close} />}
      {opened?.word === 'Delete' && <DeleteProject project={opened.row} onDeleted={onChanged} onClose={close} />}
    </Section>
  );
}

const projectColumns = (zone: string, open: (opened: Opened) => void): GridColumn<ProjectResource>[] => [
  { id: 'name', header: 'Name', width: 160, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { id: 'id', header: 'ID', width: 230, cell: ({ id }) => id },
  cellColumn('retention_days', 'Keeps traces', 130, ({ retention_days: days }) =>
    days === null ? 'As the organization' : formatCounted(days, 'day'),
  ),
  { id: 'protected', header: 'Protected', width: 84, cell: (row) => (row.protected ? 'Yes' : 'No') },
  { id: 'created_at', header: 'Created', note: zone, width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
  { id: 'actions', header: 'Actions', width: 190, cell: (row) => <Actions {...{ row, open }} /> },
];

function Actions({ row, open }: { row: ProjectResource; open(opened: Opened): void }) {
  const openBy = (word: 'Change' | 'Delete') => () => open({ word, row });
  if (row.removal) return <Deleting {...row.removal} />;
  return (
    <>
      <Button className={styles.rowButton} aria-label={`Change ${row.name}`} onClick={openBy('Change')}>
        Change
      </Button>{' '}
      {!row.protected && (
        <Button className={styles.rowButton} aria-label={`Delete the project ${row.name}`} onClick={openBy('Delete')}>
          Delete
        </Button>
      )}
    </>
  );
}

/** How far the deletion of a project is. What holds it up is said, as nobody sees a title by touch or keyboard. */
function Deleting({ rows_deleted: rows, step, last_error: error }: NonNullable<ProjectResource['removal']>) {
  if (error !== null) return <span title={error}>Deletion delayed: {error}</span>;
  return <span title={step ?? ''}>Deleting, {formatCounted(rows, 'row')} gone</span>;
}

interface EditProjectProps {
  project: ProjectResource;
  onChanged(): void;
  onClose(): void;
}

function EditProject({ project, onChanged, onClose }: EditProjectProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title="Change project"
      size="small"
      action="Save"
      failed="The project could not be changed"
      send={(form) => api.updateProject({ path: { id: project.id }, body: changeOf(form) })}
      onSent={({ name }) => {
        void client.invalidateQueries({ queryKey: BROWSER_SESSION.queryKey });
        onClose();
        onChanged();
        notify(`Changed the project ${name}`);
      }}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required defaultValue={project.name} />
      <TextField
        label="Days to keep traces"
        name="days"
        type="number"
        min={1}
        defaultValue={project.retention_days ?? ''}
        hint="Leave empty to use the retention of the organization, which is also the maximum."
      />
      <CheckboxField
        label="Protected: nobody deletes the project, all of its traces or a dataset until this is lifted"
        name="protected"
        defaultChecked={project.protected}
      />
    </FormDialog>
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

interface DeleteProjectProps {
  project: ProjectResource;
  onDeleted(): void;
  onClose(): void;
}

function DeleteProject({ project, onDeleted, onClose }: DeleteProjectProps) {
  const isOwn = useBrowserSession()?.project?.id === project.id;
  return (
    <TypedConfirmation
      title="Delete project?"
      label="Type the name of the project to confirm"
      isMeant={(typed) => typed === project.name.trim()}
      failed="The project could not be deleted"
      act={() => api.deleteProject({ path: { id: project.id } })}
      onDone={() => {
        onDeleted();
        notify(`The project ${project.name} is being deleted`);
      }}
      onClose={onClose}
    >
      <p>
        The project <bdi>{project.name}</bdi> becomes unavailable within a second, and its keys and sessions end. Its
        traces, datasets, evaluations, reviews and connections are deleted. This cannot be undone.
      </p>
      {isOwn && <p>You are signed in to this project and will be signed out.</p>}
    </TypedConfirmation>
  );
}

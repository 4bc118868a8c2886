import type { ProjectResource } from '@spandrel/contract';
import { Button } from '../../components/button.js';
import { formatCounted } from '../../components/format/format-count.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import styles from './settings-page.module.css';

interface ProjectActions {
  /** The project of this session, which cannot be deleted from here. */
  own: string | undefined;
  onEdit(project: ProjectResource): void;
  onDelete(project: ProjectResource): void;
}

/** Every column of the list of projects. */
export const projectColumns = (actions: ProjectActions): GridColumn<ProjectResource>[] => [
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
  { id: 'actions', header: 'Actions', width: 150, cell: (row) => <Actions row={row} {...actions} /> },
];

function Actions({ row, own, onEdit, onDelete }: ProjectActions & { row: ProjectResource }) {
  if (row.removal)
    return <span title={row.removal.step ?? ''}>Deleting, {formatCounted(row.removal.rows_deleted, 'row')}</span>;
  return (
    <>
      <Button className={styles.rowButton} aria-label={`Change ${row.name}`} onClick={() => onEdit(row)}>
        Change
      </Button>
      {row.id !== own && (
        <Button
          className={styles.rowButton}
          aria-label={`Delete the project ${row.name}`}
          disabled={row.protected}
          onClick={() => onDelete(row)}
        >
          Delete
        </Button>
      )}
    </>
  );
}

import type { ProjectResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import styles from './settings-page.module.css';

interface ProjectActions {
  onEdit(project: ProjectResource): void;
  onDelete(project: ProjectResource): void;
}

/** Every column of the list of projects. @param zone zone of the times, shown in the header. */
export const projectColumns = (zone: string, actions: ProjectActions): GridColumn<ProjectResource>[] => [
  { id: 'name', header: 'Name', width: 160, grows: true, cell: ({ name }) => <bdi title={name}>{name}</bdi> },
  { id: 'id', header: 'ID', width: 230, cell: ({ id }) => id },
  {
    id: 'retention_days',
    header: 'Keeps traces',
    width: 130,
    cell: ({ retention_days: days }) => (days === null ? 'As the organization' : formatCounted(days, 'day')),
  },
  { id: 'protected', header: 'Protected', width: 84, cell: (row) => (row.protected ? 'Yes' : 'No') },
  { id: 'created_at', header: 'Created', note: zone, width: 136, cell: ({ created_at: at }) => <Time at={at} /> },
  { id: 'actions', header: 'Actions', width: 190, cell: (row) => <Actions row={row} {...actions} /> },
];

function Actions({ row, onEdit, onDelete }: ProjectActions & { row: ProjectResource }) {
  if (row.removal) return <Deleting {...row.removal} />;
  return (
    <>
      <Button className={styles.rowButton} aria-label={`Change ${row.name}`} onClick={() => onEdit(row)}>
        Change
      </Button>{' '}
      {!row.protected && (
        <Button
          className={styles.rowButton}
          aria-label={`Delete the project ${row.name}`}
          onClick={() => onDelete(row)}
        >
          Delete
        </Button>
      )}
    </>
  );
}

/** How far the deletion of a project is. What holds it up is said, as nobody sees a title by touch or keyboard. */
function Deleting({ rows_deleted: rows, step, last_error: error }: NonNullable<ProjectResource['removal']>) {
  if (error !== null) return <span title={error}>Deletion held up: {error}</span>;
  return <span title={step ?? ''}>Deleting, {formatCounted(rows, 'row')} gone</span>;
}

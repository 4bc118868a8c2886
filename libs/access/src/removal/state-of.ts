import { formatTimestamp, type ProjectResource } from '@spandrel/contract';
import type { RemovalRow } from './removal.entity.js';

/** Whether a project or an organization is being deleted, and how far that is, as the wire shows it. */
export const stateOf = (
  { deletingAt }: { deletingAt: number | null },
  removal: RemovalRow | undefined,
): Pick<ProjectResource, 'state' | 'removal'> => ({
  state: deletingAt === null ? 'active' : 'deleting',
  removal:
    deletingAt === null
      ? null
      : {
          requested_at: formatTimestamp(deletingAt),
          rows_deleted: removal?.rowsDeleted ?? 0,
          step: removal?.step ?? null,
          last_error: removal?.lastError ?? null,
        },
});

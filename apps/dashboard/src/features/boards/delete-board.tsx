import type { BoardResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { ConfirmAction } from '../dialogs.js';
import { BOARDS } from './boards.js';

/** Asks before a board is deleted. @param onDeleted what follows once it is gone. */
export function DeleteBoard({
  board,
  onDeleted,
  onClose,
}: {
  board: BoardResource;
  onDeleted?(): void;
  onClose(): void;
}) {
  const client = useQueryClient();
  return (
    <ConfirmAction
      title="Delete board?"
      action="Delete"
      act={() => api.deleteBoard({ path: { id: board.id } })}
      onDone={() => {
        onDeleted?.();
        // The board itself is not asked for again.
        void client.invalidateQueries({ queryKey: BOARDS.queryKey, exact: true });
      }}
      done={`Deleted the board ${board.name}`}
      failed="The board could not be deleted"
      onClose={onClose}
    >
      <p>
        The board <bdi>{board.name}</bdi> is deleted for everybody in the project. What its figures show is kept.
      </p>
    </ConfirmAction>
  );
}

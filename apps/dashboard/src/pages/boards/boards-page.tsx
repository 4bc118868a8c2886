import type { BoardResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import { zoneName } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { notify, notifyError } from '../../components/notify.js';
import { Time } from '../../components/time.js';
import { NameDialog } from '../../features/boards/board-dialog.js';
import { boardAddress, BOARDS, rereadBoards } from '../../features/boards/boards.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { countColumn } from '../../features/columns/usual-columns.js';
import { QueryGrid } from '../../features/list/query-grid.js';

/** `/boards`: the boards of the project; hidden ones are brought back here. */
export function BoardsPage() {
  const boards = useQuery(BOARDS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { times } = usePreferences();
  const [isNaming, setIsNaming] = useState(false);
  const [isHiddenShown, setIsHiddenShown] = useState(false);
  const all = boards.data ?? [];
  const rows = all.filter(({ hidden }) => isHiddenShown || !hidden);
  const change = async ({ id, name }: BoardResource, hidden: boolean): Promise<void> => {
    try {
      await api.updateBoard({ path: { id }, body: { hidden } });
      notify(hidden ? `Hid the board ${name}` : `Brought back the board ${name}`);
    } catch (error) {
      notifyError('The board could not be changed', error as Error);
    }
    void rereadBoards(client);
  };
  const columns: GridColumn<BoardResource>[] = [
    cellColumn('name', 'Name', { width: 200, grows: 560 }, ({ id, name, hidden }) => (
      <>
        <Link to={boardAddress(id)} dir="auto">
          {name}
        </Link>
        {hidden && ' (hidden)'}
      </>
    )),
    countColumn('figures', 'Figures', 80, ({ figures }) => figures.length),
    {
      ...{ id: 'updated_at', header: 'Updated', note: zoneName(Date.now(), times), width: 136 },
      cell: ({ updated_at: at }) => (at === null ? NONE : <Time at={at} />),
    },
    cellColumn('actions', 'Actions', 110, (board) => (
      <RowButtons>
        {board.hidden ? (
          <RowButton word="Bring back" name={board.name} onClick={() => void change(board, false)} />
        ) : (
          board.built_in && <RowButton word="Hide" name={board.name} onClick={() => void change(board, true)} />
        )}
      </RowButtons>
    )),
  ];
  return (
    <>
      <PageHeading title="Boards">
        {all.some(({ hidden }) => hidden) && (
          <Button aria-pressed={isHiddenShown} onClick={() => setIsHiddenShown(!isHiddenShown)}>
            Show hidden boards
          </Button>
        )}
        <Button writes variant="primary" icon="plus" onClick={() => setIsNaming(true)}>
          New board
        </Button>
      </PageHeading>
      <QueryGrid<BoardResource>
        label="Boards"
        query={boards}
        {...{ rows, columns }}
        onOpen={({ id }) => void navigate({ to: boardAddress(id) })}
        empty={
          <EmptyState title="No boards here">
            <p>A board has figures of Analytics with their filters. Make one, or pin a figure of Analytics to one.</p>
          </EmptyState>
        }
      />
      {isNaming && (
        <NameDialog
          title="New board"
          action="Create"
          save={(name) => api.createBoard({ body: { name, figures: [] } })}
          onSaved={({ id }) => {
            void rereadBoards(client);
            void navigate({ to: boardAddress(id) });
          }}
          onClose={() => setIsNaming(false)}
        />
      )}
    </>
  );
}

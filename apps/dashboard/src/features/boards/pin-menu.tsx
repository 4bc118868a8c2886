import type { BoardFigure, BoardResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { useMayWrite } from '../../components/button.js';
import { ButtonMenu, ButtonMenuItem } from '../../components/button-menu.js';
import { notify, notifyError } from '../../components/notify.js';
import type { AnalyticsSearch } from '../analytics/analytics-search.js';
import type { FigureName } from '../analytics/figures.js';
import { NameDialog } from './board-dialog.js';
import { boardAddress, BOARDS, rereadBoards } from './boards.js';
import { writeFigureQuery } from './figure-query.js';

/** Puts a figure as it is now onto a board, or onto a new one. */
export function PinMenu({ figure: name, query }: { figure: FigureName; query: AnalyticsSearch }) {
  const client = useQueryClient();
  const [isNaming, setIsNaming] = useState(false);
  const title = query.split_by === undefined ? name : `${name} by ${query.split_by.replace('_', ' ')}`;
  const figure: BoardFigure = {
    ...{ title, figure: name.toLowerCase() as BoardFigure['figure'], query: writeFigureQuery(query) },
  };
  const onPinned = ({ id, name: board }: BoardResource): void => {
    void rereadBoards(client);
    notify(`Pinned ${title} to ${board}`, <Link to={boardAddress(id)}>Open the board</Link>);
  };
  const pin = async (id: string): Promise<void> => {
    try {
      // Others may have changed it since the list was read.
      const { figures } = await api.getBoard({ path: { id } });
      onPinned(await api.updateBoard({ path: { id }, body: { figures: [...figures, figure] } }));
    } catch (error) {
      notifyError('The figure could not be pinned', error as Error);
    }
  };
  if (!useMayWrite()) return null;
  return (
    <>
      <ButtonMenu label="Pin to board" icon="plus" iconOnly align="end">
        <BoardItems onChoose={(id) => void pin(id)} />
        <ButtonMenuItem onClick={() => setIsNaming(true)}>New board</ButtonMenuItem>
      </ButtonMenu>
      {isNaming && (
        <NameDialog
          title="New board"
          action="Create"
          save={(board) => api.createBoard({ body: { name: board, figures: [figure] } })}
          onSaved={onPinned}
          onClose={() => setIsNaming(false)}
        />
      )}
    </>
  );
}

/** An entry for each board; the menu asks for them when it is opened. */
function BoardItems({ onChoose }: { onChoose(id: string): void }) {
  const { data } = useQuery(BOARDS);
  return data
    ?.filter(({ hidden }) => !hidden)
    .map(({ id, name }) => (
      <ButtonMenuItem key={id} onClick={() => onChoose(id)}>
        {name}
      </ButtonMenuItem>
    ));
}

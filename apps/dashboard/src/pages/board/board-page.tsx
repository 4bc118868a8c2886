import type { BoardFigure, BoardResource, UpdateBoard } from '@spandrel/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { Button } from '../../components/button.js';
import { NotFound } from '../../components/not-found.js';
import { notify, notifyError } from '../../components/notify.js';
import { PageActions } from '../../components/page-actions.js';
import { EmptyState, PageHeading, QueryFault } from '../../components/page-parts.js';
import { AnalyticsFigure } from '../../features/analytics/analytics-figure.js';
import figureStyles from '../../features/analytics/analytics-figure.module.css';
import { FIGURES } from '../../features/analytics/figures.js';
import { NameDialog } from '../../features/boards/board-dialog.js';
import { boardQuery, BOARDS, rereadBoards } from '../../features/boards/boards.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { readFigureQuery } from '../../features/boards/figure-query.js';
import { endsOf } from '../../features/filters/time-range.js';
import { useWayUp } from '../../features/list/way-up.js';
import { RunTrend } from '../../features/runs/run-trend.js';

const route = getRouteApi('/boards/$id');

/** `/boards/:id`: the figures of a board, each with its own query. */
export function BoardPage() {
  const { id } = route.useParams();
  const board = useQuery(boardQuery(id));
  const wayUp = useWayUp('/boards', 'Board');
  if (isNotFound(board.error)) return <NotFound what="Board" back={<Link to="/boards">Go to Boards</Link>} />;
  return (
    <>
      {wayUp}
      {board.data === undefined ? <PageHeading title="Board" /> : <Board key={id} board={board.data} />}
      <QueryFault title="The board could not be loaded" query={board} />
    </>
  );
}

type Opened = { kind: 'rename' | 'delete' } | { kind: 'title'; at: number } | null;

function Board({ board }: { board: BoardResource }) {
  const { id, name, figures } = board;
  const [opened, setOpened] = useState<Opened>(null);
  const navigate = useNavigate();
  const client = useQueryClient();
  const change = useBoardChange(id);
  const keepFocus = useKeptFocus(figures);
  const close = (): void => setOpened(null);
  const move = (from: number, to: number, button: HTMLButtonElement): void => {
    keepFocus(button);
    void change({ figures: figures.toSpliced(from, 1).toSpliced(to, 0, figures[from]!) });
  };
  const remove = async (at: number): Promise<void> => {
    if (!(await change({ figures: figures.toSpliced(at, 1) }))) return;
    notify(
      `Removed ${figures[at]!.title}`,
      <Button onClick={() => void change({ figures: [...figures] })}>Undo</Button>,
    );
  };
  const keys = keysOf(figures);
  return (
    <>
      <PageHeading title={name}>
        <Link to="/analytics">Open Analytics</Link>
        <PageActions
          group="Board"
          actions={[
            { label: 'Rename board', short: 'Rename', writes: true, run: () => setOpened({ kind: 'rename' }) },
            board.built_in
              ? {
                  ...{ label: board.hidden ? 'Bring back board' : 'Hide board', writes: true },
                  ...{ short: board.hidden ? 'Bring back' : 'Hide', run: () => void change({ hidden: !board.hidden }) },
                }
              : {
                  ...{ label: 'Delete board', short: 'Delete', writes: true, variant: 'danger', icon: 'trash' },
                  run: () => setOpened({ kind: 'delete' }),
                },
          ]}
        />
      </PageHeading>
      {figures.length === 0 && (
        <EmptyState title="No figures on this board yet" action={<Link to="/analytics">Open Analytics</Link>}>
          <p>Press Pin to board on a figure of Analytics.</p>
        </EmptyState>
      )}
      <div className={figureStyles.figures}>
        {figures.map((figure, at) => (
          <PinnedFigure
            key={keys[at]}
            figure={figure}
            actions={
              <>
                <Button
                  {...ICON}
                  icon="arrowUp"
                  disabled={at === 0}
                  onClick={({ currentTarget }) => move(at, at - 1, currentTarget)}
                >
                  Move up
                </Button>
                <Button
                  {...ICON}
                  icon="arrowDown"
                  disabled={at === figures.length - 1}
                  onClick={({ currentTarget }) => move(at, at + 1, currentTarget)}
                >
                  Move down
                </Button>
                <Button writes variant="quiet" onClick={() => setOpened({ kind: 'title', at })}>
                  Rename
                </Button>
                <Button {...ICON} icon="trash" onClick={() => void remove(at)}>
                  Remove
                </Button>
              </>
            }
          />
        ))}
      </div>
      {opened?.kind === 'rename' && (
        <NameDialog
          title="Rename board"
          action="Save"
          initial={name}
          save={(next) => change({ name: next })}
          onSaved={close}
          onClose={close}
        />
      )}
      {opened?.kind === 'title' && (
        <NameDialog
          title="Rename figure"
          action="Save"
          initial={figures[opened.at]!.title}
          save={(title) => change({ figures: figures.with(opened.at, { ...figures[opened.at]!, title }) })}
          onSaved={close}
          onClose={close}
        />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmAction
          title="Delete board?"
          action="Delete"
          act={() => api.deleteBoard({ path: { id } })}
          onDone={() => {
            void navigate({ to: '/boards' });
            // The board itself is not asked for again.
            void client.invalidateQueries({ queryKey: BOARDS.queryKey, exact: true });
          }}
          done={`Deleted the board ${name}`}
          failed="The board could not be deleted"
          onClose={close}
        >
          <p>
            The board <bdi>{name}</bdi> is deleted for everybody in the project. What its figures show is kept.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

const ICON = { writes: true, variant: 'quiet', iconOnly: true } as const;

/** Keys that stay with figures as they move; one may be there twice. */
function keysOf(figures: readonly BoardFigure[]): string[] {
  const seen = new Map<string, number>();
  return figures.map((figure) => {
    const text = JSON.stringify([figure.figure, figure.query, figure.title]);
    seen.set(text, (seen.get(text) ?? 0) + 1);
    return `${text} ${seen.get(text)}`;
  });
}

/** Changes a board, one change behind the other; the page shows it before the service has it. @returns whether it was kept. */
function useBoardChange(id: string): (changes: UpdateBoard) => Promise<boolean> {
  const client = useQueryClient();
  const { queryKey } = boardQuery(id);
  const mutationKey = ['board', id];
  const sending = useMutation({
    mutationKey,
    mutationFn: (body: UpdateBoard) => api.updateBoard({ path: { id }, body }),
    scope: { id: `board ${id}` },
    onError: (error) => notifyError('The board could not be changed', error),
    // What the service has meanwhile is older than the changes that wait behind this one.
    onSettled: () => (client.isMutating({ mutationKey }) === 1 ? rereadBoards(client) : undefined),
  });
  return (changes) => {
    // At once: what is pressed next begins with what this one leaves.
    void client.cancelQueries({ queryKey });
    client.setQueryData(queryKey, (before) => before && ({ ...before, ...changes } as BoardResource));
    return sending.mutateAsync(changes).then(
      () => true,
      () => false,
    );
  };
}

/** Gives a button the focus again once the figures have moved, or the other one where it is at the end. */
function useKeptFocus(figures: readonly BoardFigure[]): (button: HTMLButtonElement) => void {
  const kept = useRef<HTMLButtonElement | null>(null);
  useLayoutEffect(() => {
    const button = kept.current;
    kept.current = null;
    const target = button?.disabled ? button.parentElement?.querySelector<HTMLElement>('button:enabled') : button;
    target?.focus();
  }, [figures]);
  return (button) => (kept.current = button);
}

function PinnedFigure({ figure, actions }: { figure: BoardFigure; actions: ReactNode }) {
  const { title } = figure;
  if (figure.figure === 'scores') return <ScoresFigure {...{ figure, actions }} />;
  const { name } = FIGURES.find((one) => one.name.toLowerCase() === figure.figure)!;
  return <AnalyticsFigure figure={name} title={title} query={readFigureQuery(figure)} actions={actions} />;
}

const RUNS_MAX = 200;

function ScoresFigure({ figure, actions }: { figure: BoardFigure; actions: ReactNode }) {
  const datasetId = new URLSearchParams(figure.query).get('dataset_id');
  const runs = useQuery({
    queryKey: ['runs', 'newest', datasetId],
    queryFn: ({ signal }) =>
      api.listEvalRuns({ query: { limit: RUNS_MAX, ...(datasetId !== null && { dataset_id: datasetId }) }, signal }),
  });
  const { since, until } = endsOf(readFigureQuery(figure), Date.now());
  const isIn = (at: string): boolean =>
    (since === undefined || Date.parse(at) >= Date.parse(since)) &&
    (until === undefined || Date.parse(at) < Date.parse(until));
  const shown = runs.data?.runs.filter(({ created_at: at }) => isIn(at)) ?? [];
  return (
    <div>
      <QueryFault title={`${figure.title} could not be loaded`} query={runs} />
      <RunTrend runs={shown} title={figure.title} actions={actions} />
    </div>
  );
}

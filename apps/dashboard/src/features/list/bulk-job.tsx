import { formatCount, formatCounted } from '@spandrel/contract/browser';
import type { ListId } from '@spandrel/sdk/api';
import type { ReactNode } from 'react';
import { retryDelayMs, shouldRetry } from '../../api/api-error.js';
import { listPage, type Query } from '../../api/api.js';
import { PAGE_ROWS, rowId, type ListedRow } from '../../api/page-rows.js';
import { Button } from '../../components/button.js';
import { notify, notifyError, notifyLasting } from '../../components/notify.js';

/** Reads every row that the filters of a list match. */
export interface MatchingRows {
  operation: ListId;
  path?: Readonly<Record<string, string>>;
  query: Query;
}

/** Rows that were chosen: single ones by their ids, or all that match. */
export interface ChosenRows {
  rows: readonly string[] | MatchingRows;
  /** How many there are; `undefined` where nobody counted, and less than there are where `isMore`. */
  count: number | undefined;
  isMore: boolean;
}

/** What became of rows; with those that were `existing` nothing was to be done. */
export type BulkCounts = Record<'done' | 'existing' | 'failed', number>;

export interface BulkJob {
  chosen: ChosenRows;
  /** `Deleting traces` */
  title: string;
  /** What the rows are called, one of them: `span`. */
  one: string;
  /** Does it to the rows of a page. It is called again for the same rows after an error. */
  act(ids: readonly string[], signal: AbortSignal): Promise<BulkCounts & { fault?: string | undefined }>;
  /** What is said in the end: `Deleted 3 traces`. */
  describe(counts: BulkCounts): string;
  /** A link to what came of it. */
  action?: ReactNode;
  /** Whether an error of the first page ends the job, which then throws it. */
  isRefusal?(error: unknown): boolean;
  /** From here on the job is in the background, and throws nothing. */
  onGoing?(): void;
  onEnd?(): void;
}

/** What goes on longer than this shows how far it is. */
const SHOWN_AFTER_MS = 400;

/**
 * Does something to chosen rows in the background, page by page, and shows how far it is; an error waits for somebody.
 * @throws what `isRefusal` takes.
 */
export async function runBulkJob(job: BulkJob): Promise<void> {
  const { chosen, title, one, act, describe, action, isRefusal, onGoing, onEnd } = job;
  let isGoing = false;
  const goOn = (): void => {
    if (!isGoing) onGoing?.();
    isGoing = true;
  };
  const counts: BulkCounts = { done: 0, existing: 0, failed: 0 };
  let fault: string | undefined;
  const stop = new AbortController();
  const { signal } = stop;
  const note = notifyLasting();
  const cancel = <Button onClick={() => stop.abort()}>Cancel</Button>;
  const showProgress = (): void =>
    note.show({ title, detail: <Progress {...{ title, counts, chosen }} />, action: cancel });
  const showsLater = setTimeout(showProgress, SHOWN_AFTER_MS);
  const untilDone = async <Answer,>(attempt: () => Promise<Answer>): Promise<Answer | null> => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) break;
        clearTimeout(showsLater);
        if (!isGoing && isRefusal?.(error)) {
          note.end();
          throw error;
        }
        goOn();
        if (shouldRetry(failures, error)) {
          await new Promise((wake) => setTimeout(wake, retryDelayMs(failures, error)));
          continue;
        }
        await new Promise<void>((tryAgain) => {
          signal.addEventListener('abort', () => tryAgain(), { once: true });
          const again = <Button onClick={() => tryAgain()}>Try again</Button>;
          note.show({ title: `${title} has stopped`, detail: (error as Error).message, action: [again, cancel] });
        });
        showProgress();
      }
    }
    return null;
  };
  for (let cursor: string | null = ''; cursor !== null;) {
    const at: string = cursor;
    const page = await untilDone(() => readPage(chosen.rows, at, signal));
    const found = page && (await untilDone(() => act(page.ids, signal)));
    goOn();
    for (const name of ['done', 'existing', 'failed'] as const) counts[name] += found?.[name] ?? 0;
    fault ??= found?.fault;
    cursor = signal.aborted || page === null ? null : page.next;
    if (cursor !== null) showProgress();
  }
  clearTimeout(showsLater);
  note.end();
  notify(`${signal.aborted ? 'Cancelled. ' : ''}${describe(counts)}`, counts.done + counts.existing > 0 && action);
  if (fault !== undefined) notifyError(`${formatCounted(counts.failed, one)} left out`, new Error(fault));
  onEnd?.();
}

async function readPage(rows: ChosenRows['rows'], cursor: string, signal: AbortSignal) {
  if ('operation' in rows) {
    const { operation, path, query } = rows;
    const given = { ...(path && { path }), query, cursor: cursor || null, signal };
    const page = await listPage<ListedRow>(operation, given);
    return { ids: page.rows.map(rowId), next: page.next };
  }
  const end = Number(cursor) + PAGE_ROWS;
  return { ids: rows.slice(Number(cursor), end), next: end < rows.length ? String(end) : null };
}

interface ProgressProps {
  title: string;
  counts: BulkCounts;
  chosen: ChosenRows;
}

function Progress({ title, counts, chosen: { count, isMore } }: ProgressProps) {
  const handled = counts.done + counts.existing + counts.failed;
  return (
    <>
      {formatCount(handled)} of {count === undefined ? 'all' : formatCount(count)}
      {isMore && '+'} <progress aria-label={title} {...(count !== undefined && { value: handled, max: count })} />
    </>
  );
}

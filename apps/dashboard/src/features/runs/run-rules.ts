import type { EvalRunSummary } from '@spandrel/contract';
import { lastQuestionOf } from '@spandrel/contract/browser';
import type { LiveEvent } from '../../live/live-event.js';
import type { RowChanges } from '../list/list-rules.js';

/** Why a run was cancelled, where nobody did it by hand. */
const STOPS = {
  cancelled: null,
  cost_cap: { word: 'cost cap', sentence: 'Stopped: another call could have exceeded the cost cap.' },
  idle: { word: 'idle', sentence: 'Cancelled: no result arrived for too long.' },
} as const;

/** Why a run ended before it was done, in a word or two; `null` where its status says all. */
export const stopWord = ({ stop_reason: reason }: Pick<EvalRunSummary, 'stop_reason'>): string | null =>
  (reason && STOPS[reason]?.word) ?? null;

/** Why a run ended before it was done; `null` where its status says all. */
export const stopSentence = ({ stop_reason: reason }: Pick<EvalRunSummary, 'stop_reason'>): string | null =>
  (reason && STOPS[reason]?.sentence) ?? null;

/** Whether a run was completed and not a single one of its datapoints succeeded. */
export const hasFailedAltogether = ({ status, error }: Pick<EvalRunSummary, 'status' | 'error'>): boolean =>
  status === 'completed' && error !== null;

/** Names of the scorers of a run: `exact, judge`. */
export const scorersOf = ({ scorers }: Pick<EvalRunSummary, 'scorers'>): string =>
  scorers.map(({ name }) => name).join(', ');

/** Whether a run goes on. */
export const goesOn = ({ status }: Pick<EvalRunSummary, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** What an event says of the list of runs. */
export function runChanges(event: LiveEvent): RowChanges {
  switch (event.type) {
    case 'eval_started':
      return { changed: [event.run_id], hasNew: true };
    case 'eval_progress':
    case 'eval_completed':
    case 'eval_failed':
    case 'eval_cancelled':
      return { changed: [event.run_id] };
    case 'dataset_deleted':
      return { deleted: [event.dataset_id], hasNew: true };
    case 'cleared':
      return { isCleared: true };
    default:
      return {};
  }
}

/** Whether an event is about this run. */
export const isOfRun = (event: LiveEvent, id: string): boolean => 'run_id' in event && event.run_id === id;

/** The input of a datapoint as a line of a list: a text as it is, of messages the last question, other JSON as JSON. */
export function dataText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return lastQuestionOf(value) ?? JSON.stringify(value);
}

/** All of the data: a text as it is, other JSON on several lines. */
export const wholeText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** The most runs that one comparison takes. */
export const COMPARED_MAX = 4;

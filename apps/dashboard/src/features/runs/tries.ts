import type { SampleResource, EvalRunSummary } from '@spandrel/contract';
import { formatCount, formatCounted, formatScore, lastQuestionOf } from '@spandrel/contract/browser';
import { PAGE_ROWS } from '../../api/page-rows.js';
import type { LiveEvent } from '../../live/live-event.js';
import type { RowChanges } from '../list/list-rules.js';
import { wordsOfScorer } from '../scorer-words.js';

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
  scorers.map(({ name }) => wordsOfScorer(name)).join(', ');

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

export const COMPARED_MAX = 4;

/** What lists and regions look at in a result, or in what a run made of a compared datapoint. */
interface Tried {
  samples?: readonly SampleResource[] | null;
  worst_repeat?: number | null;
}

interface Passes {
  passed: number;
  counted: number;
  /** Whether some tries passed and others did not. */
  isFlaky: boolean;
}

/** What a result cost, its judges too; `null` where that is not known. */
export const wholeCost = ({ cost, judge_cost: judge }: Pick<SampleResource, 'cost' | 'judge_cost'>): number | null =>
  cost === null ? judge : cost + (judge ?? 0);

/** The passes of an item; `null` where each datapoint is tried once, and before the first score. */
export function passesOf({ samples }: { samples?: readonly Pick<SampleResource, 'passed'>[] | null }): Passes | null {
  const decided = (samples ?? []).flatMap(({ passed }) => passed ?? []);
  if (decided.length === 0) return null;
  const passed = decided.filter((each) => each).length;
  return { passed, counted: decided.length, isFlaky: passed > 0 && passed < decided.length };
}

/** `2 of 3 tries, flaky` */
export function describePasses({ passed, counted, isFlaky }: Passes): string {
  const words = `${formatCount(passed)} of ${formatCounted(counted, 'try', 'tries')}`;
  return isFlaky ? `${words}, flaky` : words;
}

/** The worst try of several with its number: `0.2, try 3`; `null` where each datapoint is tried once, and before the first. */
export function describeWorst({ samples, worst_repeat: worst }: Tried): string | null {
  const sample = samples?.find(({ repeat }) => repeat === worst);
  if (sample === undefined) return null;
  return `${sample.score === null ? 'Failed' : formatScore(sample.score)}, try ${sample.repeat + 1}`;
}

/** A result as a list keeps it: outputs of single tries are read when it is opened. */
export const withoutOutputs = <Result extends Tried>(result: Result): Result => ({
  ...result,
  ...(result.samples && {
    samples: result.samples.map((sample) => ({ ...sample, output: null, score_reason: null, scores: {} })),
  }),
});

/** Samples that a page of results has, with their outputs on the way here. */
const PAGE_SAMPLES = { most: 1_000, rowsMin: 10 };

/** What a page of results is asked for: with the tries, where there are several. @param repeats tries of a row. */
export const triesQuery = (repeats: number) =>
  repeats === 1
    ? {}
    : {
        include: 'samples' as const,
        limit: Math.min(PAGE_ROWS, Math.max(PAGE_SAMPLES.rowsMin, Math.floor(PAGE_SAMPLES.most / repeats))),
      };

import type { EvalItem, EvalRunSummary, SampleResource } from '@spandrel/contract';
import { formatCount, formatCounted } from '@spandrel/contract/browser';

/** Differences of scores below it are none. */
const SAME = 1e-12;

/** How many tries of a datapoint passed, of those that have a score. */
export interface Passes {
  passed: number;
  counted: number;
  /** Whether some tries passed and others did not. */
  isFlaky: boolean;
}

/** Samples as a list needs them. */
type Tried = Pick<SampleResource, 'score' | 'status'>;

/** The passes of an item; `null` where each datapoint is tried once, and before the first score. */
export function passesOf(
  { samples }: { samples?: readonly Tried[] | null },
  passScore: EvalRunSummary['pass_score'],
): Passes | null {
  const scores = (samples ?? []).flatMap(({ score, status }) => (status === 'failed' ? [] : (score ?? [])));
  if (scores.length === 0) return null;
  const passed = scores.filter((score) => score >= passScore - SAME).length;
  return { passed, counted: scores.length, isFlaky: passed > 0 && passed < scores.length };
}

/** `2 of 3 tries, flaky` */
export function describePasses({ passed, counted, isFlaky }: Passes): string {
  const words = `${formatCount(passed)} of ${formatCounted(counted, 'try', 'tries')}`;
  return isFlaky ? `${words}, flaky` : words;
}

/** An item as a list keeps it: outputs of single tries are read when the item is opened. */
export function withoutOutputs(item: EvalItem): EvalItem {
  if (!item.samples) return item;
  const samples = item.samples.map((sample) => ({ ...sample, output: null, score_reason: null, scores: {} }));
  return { ...item, samples };
}

import type { ScorerResult } from '@spandrel/contract';

export type SamplePreference = NonNullable<ScorerResult['preference']>;

/** The score that says that an output is as good as the answer of the baseline. */
export const ALIKE_SCORE = 0.5;

/** Whom a judge preferred in both orders, taken up a datapoint at a time. */
export class Preferences {
  /** The share that preferred the answer shown first, of the calls for each datapoint that preferred one; NaN without any. */
  readonly firsts: number[] = [];
  /** The share with two calls that differ, of the samples of each datapoint that a judge was asked about; NaN without any. */
  readonly disagreements: number[] = [];

  /** Adds the next datapoint. @param given of its samples; `undefined`: no judge was asked. */
  add(given: readonly (SamplePreference | undefined)[]): void {
    let [judged, differing, decided, first] = [0, 0, 0, 0];
    for (const said of given) {
      if (!said) continue;
      const { baseline_first: after, output_first: before } = said;
      judged++;
      if (after !== before) differing++;
      decided += Number(after !== 'neither') + Number(before !== 'neither');
      first += Number(after === 'baseline') + Number(before === 'output');
    }
    this.firsts.push(first / decided);
    this.disagreements.push(differing / judged);
  }
}

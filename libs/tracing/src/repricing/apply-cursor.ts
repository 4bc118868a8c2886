import { Invalid } from '@spandrel/kernel';
import { decodeCursor, encodeCursor } from '@spandrel/storage';
import type { CostSum } from '../write/trace-rollup.js';
import type { PlacedSpan } from './priced-spans.store.js';

/** What a run that applies prices has come to: its last answer leaves that in the audit log. */
export interface AppliedSoFar {
  readonly examined: number;
  readonly changed: number;
  /** Dollars of the changed and unchanged spans. */
  readonly before: CostSum;
  readonly after: CostSum;
}

export const NOTHING_APPLIED: AppliedSoFar = {
  examined: 0,
  changed: 0,
  before: { usd: 0, pico: 0 },
  after: { usd: 0, pico: 0 },
};

/** Where a run that applies prices goes on. */
export interface ApplyPosition {
  readonly behind: PlacedSpan;
  readonly soFar: AppliedSoFar;
}

const LIST = 'prices:apply';

export function writeApplyCursor({ behind, soFar: { examined, changed, before, after } }: ApplyPosition): string {
  const numbers = [behind.startedAt, examined, changed, before.usd, before.pico, after.usd, after.pico];
  return encodeCursor(LIST, { value: numbers.join(), id: behind.id });
}

/** @throws Invalid `invalid_cursor` when it is malformed or made for something else. */
export function readApplyCursor(cursor: string): ApplyPosition {
  const { value, id } = decodeCursor(LIST, cursor, 'text');
  const numbers = String(value).split(',').map(Number);
  const [startedAt, examined, changed, beforeUsd, beforePico, afterUsd, afterPico, ...rest] = numbers as [
    ...[number, number, number, number, number, number, number],
    ...number[],
  ];
  if (numbers.length < 7 || rest.length > 0 || !numbers.every(Number.isSafeInteger)) {
    throw new Invalid('invalid_cursor', 'the cursor is malformed or was made for another request');
  }
  const [before, after] = [
    { usd: beforeUsd, pico: beforePico },
    { usd: afterUsd, pico: afterPico },
  ];
  return { behind: { id, startedAt }, soFar: { examined, changed, before, after } };
}

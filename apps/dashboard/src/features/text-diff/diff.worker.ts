import { serveCalls } from '../worker-calls.js';
import { diffParts, type DiffPart, type DiffUnit } from './diff-parts.js';

const CALLS = {
  compare: ({ before, after, unit }: { before: string; after: string; unit: DiffUnit }): DiffPart[] =>
    diffParts(before, after, unit),
};
export type DiffCalls = typeof CALLS;

serveCalls(CALLS);

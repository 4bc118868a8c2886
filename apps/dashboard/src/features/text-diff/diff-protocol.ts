import type { DiffPart, DiffUnit } from './diff-parts.js';

/** Two texts to compare. */
export interface DiffRequest {
  id: number;
  before: string;
  after: string;
  unit: DiffUnit;
}

/** What came of it. */
export interface DiffReply {
  id: number;
  parts: DiffPart[];
}

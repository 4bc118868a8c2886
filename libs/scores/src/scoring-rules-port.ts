import { Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredScoringRule } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { ScoreRow } from './score.entity.js';

/** What scoring rules have in an export, and how they come back. */
interface RulesOfExport {
  /** Rules behind an id, in the order of their ids; none at the end. */
  exportAfter(scope: Scope, afterId: string, limit: number): Promise<readonly { id: string }[]>;
  restore(scope: Scope, items: readonly RestoredScoringRule[]): Promise<RejectedItem<RestoredScoringRule>[]>;
}

/** The feature that scores by rules, where there is one. */
@Injectable()
export class ScoringRulesPort {
  /**
   * Called in the transaction that makes or changes scores, for those that neither a rule nor a judge gave; not for what comes
   * back from an export.
   */
  onScores: ((tx: WriteTx, scope: Scope, scores: readonly ScoreRow[]) => Promise<void>) | undefined;
  rules: RulesOfExport | undefined;
  /** Called in the transaction that makes a rule, or brings one back from an export. */
  onRule: ((tx: WriteTx, scope: Scope, isRestored: boolean) => Promise<void>) | undefined;
  /**
   * How many enabled rules there are, and how many of them have something to judge that was due by `dueBy` (ms) or failed since
   * a day, and have scored nothing since.
   */
  countStalled: ((scope: Scope, dueBy: number) => Promise<{ stalled: number; rules: number }>) | undefined;
}

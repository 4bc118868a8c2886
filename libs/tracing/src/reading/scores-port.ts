import { Injectable } from '@nestjs/common';
import type { IngestRejection, ScoreResource, ScoreSums } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';

/** What became of the scores of an ingest. */
export interface IngestedScores {
  accepted: number;
  rejected: IngestRejection[];
}

/** What the feature `scores` does for the routes of traces and spans. */
export interface ScoresOfRecords {
  ingest(scope: Scope, items: readonly unknown[], author: string): Promise<IngestedScores>;

  /** The newest scores of a trace and of its spans. */
  ofTrace(scope: Scope, traceId: string, options: LongReadOptions): Promise<ScoreResource[]>;

  /** The scores of traces, those of their spans among them, or of spans: by their ids and names. */
  sumsOf(
    scope: Scope,
    target: 'trace' | 'span',
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<ReadonlyMap<string, ScoreSums>>;
}

/** Where the feature `scores` registers itself; a server may be without it. */
@Injectable()
export class ScoresPort {
  registered: ScoresOfRecords | undefined;
}

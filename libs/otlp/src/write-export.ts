import type { Scope } from '@spandrel/kernel';
import type { OtelSpan } from '@spandrel/plugin-api';
import type { LogsRead, SpansRead } from './aside/read-pages.js';
import type { OtelLogRecord } from './decode/otel-records.js';
import type { Rejection } from './write/rejections.js';

/** Spans of a large export as a thread has read them. */
export type SpansPage = SpansRead & {
  /** How many spans each dialect threw over. */
  readonly dialectErrors: Readonly<Record<string, number>>;
};

/** Log records of a large export as a thread has read them. */
export type LogsPage = LogsRead;

/** What became of an export once everything else of it is durable. */
export interface WrittenExport {
  /** One entry a reason, in the order in which the reasons came up; empty when everything was taken. */
  readonly rejected: readonly Rejection[];
}

/**
 * Stores what exports hold. Both methods settle when everything accepted is durable, may be called again with the same
 * items without any effect, and hand the event loop back after each millisecond or two of work.
 */
export abstract class WriteExport {
  /**
   * Stores the spans of one export, in one or several transactions. Spans that may not be kept are left out and told.
   * @param spans as decoded: ids are of any form, times may be missing.
   * @throws DomainError `unavailable` when the database does not answer; a part may be durable then, and sending all of it
   * again is safe.
   */
  abstract writeSpans(scope: Scope, spans: readonly OtelSpan[]): Promise<WrittenExport>;

  /**
   * Stores the spans of a large export, as {@link writeSpans} does.
   * @param pages as a thread has read them; the next one is taken when the one before it is durable.
   */
  abstract writeReadSpans(scope: Scope, pages: AsyncIterable<SpansPage>): Promise<WrittenExport>;

  /**
   * Adds the log records that tell of model calls to the spans that they belong to, or keeps them until those come.
   * Records that are nothing of the kind are rejected.
   * @throws DomainError `unavailable` as {@link writeSpans} does.
   */
  abstract writeLogs(scope: Scope, records: readonly OtelLogRecord[]): Promise<WrittenExport>;

  /** Adds the log records of a large export, as {@link writeLogs} does. @param pages as of {@link writeReadSpans}. */
  abstract writeReadLogs(scope: Scope, pages: AsyncIterable<LogsPage>): Promise<WrittenExport>;
}

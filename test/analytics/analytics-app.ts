import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { analyticsFeature } from '@spandrel/analytics';
import type { AnalyticsSummary, RangeTotals, SpanResource, Stats, TimeBucket, TraceListItem } from '@spandrel/contract';
import { eventsFeature } from '@spandrel/events';
import { BackgroundTasks } from '@spandrel/kernel';
import type { Storage, StorageConfig } from '@spandrel/storage';
import { tracingFeature } from '@spandrel/tracing';
import { WarmLists } from '../../libs/tracing/src/listing/warm-lists.js';
import { callInProcess, type InProcessCall } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';

/** The members of all answers; a test knows which ones it looks at. */
interface Body {
  code: string;
  errors: { path: string }[];
  buckets: TimeBucket[];
  totals?: RangeTotals;
  previous_totals?: RangeTotals | null;
  spans: SpanResource[];
  traces: TraceListItem[];
  next_cursor: string | null;
}

export interface Answer<Wanted = Body> {
  status: number;
  text: string;
  body: Wanted;
}

/** Tracing and analytics on an open database, called as over HTTP. */
export class AnalyticsApp {
  private constructor(
    readonly storage: Storage,
    private readonly app: NestFastifyApplication,
  ) {}

  static async open(database: StorageConfig): Promise<AnalyticsApp> {
    const features = [eventsFeature, tracingFeature, analyticsFeature];
    const { app, storage } = await openInProcess({ database, features });
    return new AnalyticsApp(storage, app);
  }

  /** Ends what reads by itself beside requests: lists of the start, and texts for their index. */
  async endBackgroundReads(): Promise<void> {
    for (const reader of [WarmLists, BackgroundTasks]) await this.app.get(reader).onModuleDestroy();
  }

  call<Wanted = Body>(
    method: InProcessCall['method'],
    url: string,
    body?: unknown,
    project?: string,
  ): Promise<Answer<Wanted>> {
    return callInProcess<Wanted>(this.app, { method, url, body, project });
  }

  summary = async (project?: string): Promise<AnalyticsSummary> =>
    (await this.call<AnalyticsSummary>('GET', '/api/analytics/summary', undefined, project)).body;

  stats = async (project?: string): Promise<Stats> =>
    (await this.call<Stats>('GET', '/api/stats', undefined, project)).body;

  series = (question: unknown, project?: string): Promise<Answer> =>
    this.call('POST', '/api/analytics', question, project);

  /** All spans of a project that filters take, by the list. */
  spans = (project?: string, filters: Readonly<Record<string, unknown>> = {}): Promise<SpanResource[]> =>
    this.pages('spans', project, filters);

  /** All traces of a project, by the list. */
  traces = (project?: string): Promise<TraceListItem[]> => this.pages('traces', project);

  private async pages<Plural extends 'spans' | 'traces'>(
    plural: Plural,
    project?: string,
    filters: Readonly<Record<string, unknown>> = {},
  ): Promise<Body[Plural]> {
    const items: unknown[] = [];
    const query = new URLSearchParams({ limit: '1000' });
    for (const [name, value] of Object.entries(filters))
      for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
    for (let cursor: string | null = ''; cursor !== null;) {
      const url: string = `/api/${plural}?${query}${cursor && `&cursor=${cursor}`}`;
      const { body }: Answer = await this.call('GET', url, undefined, project);
      items.push(...body[plural]);
      cursor = body.next_cursor;
    }
    return items as Body[Plural];
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.storage.close();
  }
}

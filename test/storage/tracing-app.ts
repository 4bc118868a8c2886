import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IngestResult, SpanKind, SpanResource, TraceListItem } from '@spandrel/contract';
import { eventsFeature } from '@spandrel/events';
import { sql, type Storage, type StorageConfig } from '@spandrel/storage';
import { SpanCommitParticipants, tracingFeature, type SpanCommitParticipant } from '@spandrel/tracing';
import { callInProcess } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';

/** The members of all answers; a test knows which ones it looks at. */
export interface Body {
  id: string;
  trace_id: string;
  session_id: string;
  started_at: string;
  name: string;
  status: unknown;
  code: string;
  message: string;
  errors: { path: string }[];
  count: number;
  next_cursor: string | null;
  trace: TraceListItem;
  traces: TraceListItem[];
  spans: SpanResource[];
  kind: SpanKind;
  metadata: Record<string, unknown>;
  accepted: IngestResult['accepted'];
  rejected: IngestResult['rejected'];
}

export interface Answer {
  status: number;
  /** The body as it was sent. */
  text: string;
  body: Body;
}

/** The tracing feature on an open database, called as over HTTP. */
export class TracingApp {
  private constructor(
    readonly storage: Storage,
    private readonly app: NestFastifyApplication,
  ) {}

  static async open(database: StorageConfig): Promise<TracingApp> {
    const { app, storage } = await openInProcess(
      { database, features: [eventsFeature, tracingFeature] },
      { settings: ({ core }) => (core.bodyBytes = 100 << 20) },
    );
    return new TracingApp(storage, app);
  }

  /** What the app provides, by its class. */
  provided<Provided>(type: new (...given: never[]) => Provided): Provided {
    return this.app.get<Provided>(type);
  }

  /** @param body an object, or the text of one. @param project whose data; local mode's when left out. */
  async call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    project?: string,
  ): Promise<Answer> {
    return callInProcess<Body>(this.app, { method, url, body, project });
  }

  get = (url: string): Promise<Answer> => this.call('GET', url);
  post = (url: string, body?: unknown): Promise<Answer> => this.call('POST', url, body);
  patch = (url: string, body: unknown): Promise<Answer> => this.call('PATCH', url, body);
  delete = (url: string): Promise<Answer> => this.call('DELETE', url);

  /** Every item of a list, page by page. @param url with its query; `limit` and `cursor` are added. */
  async pages<Item = Body>(
    url: string,
    plural: 'traces' | 'spans' | 'sessions' | 'facets',
    limit: number,
    between?: () => Promise<void>,
  ): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body, text } = await this.get(
        `${url}${url.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
      );
      if (status !== 200) throw new Error(`${url}: ${text}`);
      items.push(...(body as unknown as Record<string, Item[]>)[plural]!);
      cursor = body.next_cursor;
      if (cursor !== null) await between?.();
    }
    return items;
  }

  /** Lets Postgres know its data, as it does by itself in time: until then its plans for lists and large traces are poor. */
  async analyze(): Promise<void> {
    if (this.storage.dialect !== 'postgres') return;
    await this.storage.write((tx) => tx.run(sql`analyze span, span_payload, trace, trace_tag`));
  }

  register(participant: SpanCommitParticipant): void {
    this.app.get(SpanCommitParticipants).register(participant);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.storage.close();
  }
}

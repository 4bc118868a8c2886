import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  datapointKindSchema,
  parseExactJson,
  type DatapointKind,
  type EventPayload,
  type QueueCounts,
  type QueueItemResource,
} from '@spandrel/contract';
import {
  ChangeDatapoints,
  datapointKind,
  DatapointStore,
  DatasetParticipants,
  datasetsFeature,
  DatasetStore,
} from '@spandrel/datasets';
import { DomainEvents, eventsFeature } from '@spandrel/events';
import { LOCAL_SCOPE, newId, type Scope } from '@spandrel/kernel';
import { queueFeature, QueueSettings } from '@spandrel/queue';
import { scoresFeature } from '@spandrel/scores';
import { sql, type Storage, type StorageConfig } from '@spandrel/storage';
import { tracingFeature } from '@spandrel/tracing';
import { Registry } from '@prometheus-io/client';
import { callInProcess, scopeOfProject } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';
import { anyRows } from '../support/any-rows.ts';
import { Dataset } from '../../libs/datasets/src/dataset.entity.ts';

/** The members of all answers; a test knows which ones it looks at. */
interface QueueBody extends QueueItemResource {
  items: QueueItemResource[];
  count: number;
  next_cursor: string | null;
  code: string;
  errors: { path: string; message: string }[];
}

export interface QueueAnswer {
  status: number;
  /** The body as it was sent. */
  text: string;
  body: QueueBody;
}

export interface QueueAppOptions {
  claimTimeoutSeconds?: number;
}

const FEATURES = [eventsFeature, tracingFeature, scoresFeature, datasetsFeature, queueFeature];

/** The review queue and what it stands on, on an open database, called as over HTTP. */
export class QueueApp {
  /** Loses every transaction with an event of an item it holds. */
  poisoned: string | undefined;

  private constructor(
    readonly storage: Storage,
    private readonly app: NestFastifyApplication,
    private readonly metrics: Registry,
  ) {}

  static async open(database: StorageConfig, { claimTimeoutSeconds }: QueueAppOptions = {}): Promise<QueueApp> {
    const metrics = new Registry();
    const { app, storage } = await openInProcess(
      { database, features: FEATURES, metrics },
      {
        settings: (settings) => {
          settings.core.bodyBytes = 100 << 20;
          settings.of(QueueSettings).claimTimeoutSeconds = claimTimeoutSeconds ?? null;
        },
      },
    );
    const opened = new QueueApp(storage, app, metrics);
    await opened.witness();
    return opened;
  }

  /** @param body an object, or the text of one; no body and no media type when left out. */
  async call(method: 'GET' | 'POST', url: string, body?: unknown, project?: string): Promise<QueueAnswer> {
    return callInProcess<QueueBody>(this.app, { method, url, body, project });
  }

  /** How many transactions were begun again because another was in their way. */
  retries = async (): Promise<number> => {
    const metric = (await this.metrics.getMetricsAsJSON()).find(
      ({ name }) => name === 'spandrel_storage_retries_total',
    );
    return metric!.values.find(({ labels }) => labels['reason'] === 'conflict')!.value;
  };

  get = (url: string): Promise<QueueAnswer> => this.call('GET', url);
  post = (url: string, body?: unknown): Promise<QueueAnswer> => this.call('POST', url, body);

  /** A new dataset with datapoints. @param kinds of the datapoints, or how many of any kind. */
  async dataset(kinds: number | readonly DatapointKind[], project?: string): Promise<{ id: string; ids: string[] }> {
    const scope = scopeOf(project);
    const id = newId();
    const now = Date.now();
    const row = { projectId: scope.projectId, id, name: 'd', description: null, createdAt: now, updatedAt: now };
    const added = (typeof kinds === 'number' ? Array.from({ length: kinds }, (_, n) => generic(n)) : kinds).map(
      (kind) => ({ id: newId(), kind, source: 'manual' as const, sourceSpanId: null }),
    );
    await this.storage.write(async (tx) => {
      tx.em.create(Dataset, { ...row, datapointCount: 0, version: 1, pinnedVersion: 0 });
      if (added.length > 0) await this.app.get(ChangeDatapoints).add(tx, scope, id, added, now);
    });
    return { id, ids: added.map((datapoint) => datapoint.id) };
  }

  /** A new dataset whose datapoints are all in its queue. */
  async queue(kinds: number | readonly DatapointKind[]): Promise<{ id: string; ids: string[]; items: string[] }> {
    const { id, ids } = await this.dataset(kinds);
    return { id, ids, items: await this.enqueue(id, ids) };
  }

  /** @returns the ids of the items. */
  async enqueue(datasetId: string, datapointIds: readonly string[]): Promise<string[]> {
    const { status, text, body } = await this.post(`/api/datasets/${datasetId}/queue`, { datapoint_ids: datapointIds });
    if (status !== 201) throw new Error(text);
    return body.items.map((item) => item.id);
  }

  /** A datapoint as it is now, and its dataset's version. */
  async datapoint(datasetId: string, id: string): Promise<{ kind: DatapointKind; version: number } | undefined> {
    const row = await this.app.get(DatapointStore).find(LOCAL_SCOPE, datasetId, id);
    const dataset = await this.app.get(DatasetStore).find(LOCAL_SCOPE, datasetId);
    return row && { kind: datapointKind(row), version: dataset!.version };
  }

  async deleteDatapoint(datasetId: string, id: string): Promise<void> {
    await this.storage.write((tx) =>
      this.app.get(ChangeDatapoints).remove(tx, LOCAL_SCOPE, datasetId, [id], Date.now()),
    );
  }

  async deleteDataset(datasetId: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const dataset = await this.app.get(DatasetStore).findForWrite(tx, LOCAL_SCOPE, datasetId);
      await this.app.get(DatasetParticipants).beforeDatasetDelete(tx, { scope: LOCAL_SCOPE, datasetId });
      await this.app.get(DatapointStore).deleteAll(tx, LOCAL_SCOPE, datasetId);
      tx.em.remove(dataset!);
    });
  }

  /** Every item of a list, page by page. @param url with its query; `limit` and `cursor` are added. */
  async pages(url: string, limit: number, between?: () => Promise<void>): Promise<QueueItemResource[]> {
    const items: QueueItemResource[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body, text } = await this.get(
        `${url}${url.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
      );
      if (status !== 200) throw new Error(`${url}: ${text}`);
      if (body.count !== body.items.length) throw new Error(`${url}: ${body.count} is not the number of items`);
      items.push(...body.items);
      cursor = body.next_cursor;
      if (cursor !== null) await between?.();
    }
    return items;
  }

  /** How many items each dataset has. */
  async counts(): Promise<QueueCounts['datasets']> {
    const { status, text } = await this.get('/api/count/queue');
    const { datasets, count } = JSON.parse(text) as QueueCounts;
    if (status !== 200 || count !== datasets.length) throw new Error(text);
    return datasets;
  }

  /** Committed `queue_item_updated` of a dataset, in the order they were emitted. */
  async events(datasetId: string): Promise<QueueItemResource[]> {
    const rows = await this.storage.readLong(
      anyRows<{ body: string }>()`select body from witnessed_event where dataset_id = ${datasetId} order by id`,
    );
    return rows.map(({ body }) => parseExactJson(body) as unknown as QueueItemResource);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.storage.close();
  }

  /** Writes events down in the transaction that emits them, as the event log does. */
  private async witness(): Promise<void> {
    await this.storage.write((tx) =>
      tx.run(sql`create table if not exists witnessed_event (id text, dataset_id text, body text)`),
    );
    this.app.get(DomainEvents).register({
      name: 'witness',
      take: async (tx, _scope, events) => {
        for (const { type, json } of events) {
          // Other events are left unread: those of large datapoints take long.
          if (type !== 'queue_item_updated') continue;
          const event = parseExactJson(json) as unknown as Extract<EventPayload, { type: typeof type }>;
          if (event.item.id === this.poisoned) throw new Error('poison');
          await tx.run(
            sql`insert into witnessed_event (id, dataset_id, body)
              values (${newId()}, ${event.item.dataset_id}, ${JSON.stringify(event.item)})`,
          );
        }
      },
    });
  }
}

const scopeOf = (project: string | undefined): Scope => (project === undefined ? LOCAL_SCOPE : scopeOfProject(project));

/** A datapoint's kind as a client sends it. */
export const generic = (input: unknown): DatapointKind => datapointKindSchema.parse({ Generic: { input } });

/** A `Generic` kind as it is shown. */
export const shown = (input: unknown, members: object = {}): DatapointKind => ({
  Generic: { input, expected_output: null, actual_output: null, score: null, metadata: null, ...members },
});

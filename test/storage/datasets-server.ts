import { expect } from '@jest/globals';
import type { DatapointResource, DatasetResource, EventPayload } from '@spandrel/contract';
import { type StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { anyRows } from '../support/any-rows.ts';

export const ID: unknown = expect.stringMatching(/^[0-9A-Z]{26}$/);

/** The server as the tests of datasets use it. */
export interface DatasetsServer extends ServerApp {
  /** Makes a dataset. @returns its id. */
  create(name?: string): Promise<string>;
  dataset(id: string): Promise<DatasetResource>;
  /** Every datapoint of a dataset, page by page. */
  datapoints(id: string): Promise<DatapointResource[]>;
  /** Events of a dataset, in order. */
  eventsOf(id: string): EventPayload[];
  /** Rows the tables hold of a dataset, visible or not. */
  rowsOf(id: string): Promise<{ datapoints: number; imports: number }>;
}

export async function startDatasetsServer(config: StorageConfig): Promise<DatasetsServer> {
  const server = await startServerApp(config);
  const { api, storage, events } = server;
  return {
    ...server,
    create: async (name = 'd') => (await api.post<DatasetResource>('/api/datasets', { name })).body.id,
    dataset: async (id) => (await api.get<DatasetResource>(`/api/datasets/${id}`)).body,
    async datapoints(id) {
      const all: DatapointResource[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: { body: { datapoints: DatapointResource[]; next_cursor: string | null } } = await api.get(
          `/api/datasets/${id}/datapoints?limit=1000${cursor && `&cursor=${cursor}`}`,
        );
        all.push(...body.datapoints);
        cursor = body.next_cursor;
      }
      return all;
    },
    eventsOf: (id) => events.map(({ event }) => event).filter((event) => datasetOf(event) === id),
    async rowsOf(id) {
      const [rows] = await storage.readLong(
        anyRows<{
          datapoints: number;
          imports: number;
        }>()`select (select count(*) from datapoint where dataset_id = ${id}) as datapoints,
          (select count(*) from dataset_import where dataset_id = ${id}) as imports`,
      );
      return rows!;
    },
  };
}

function datasetOf(event: EventPayload): string | undefined {
  if ('dataset' in event) return event.dataset.id;
  if ('datapoint' in event) return event.datapoint.dataset_id;
  return 'dataset_id' in event ? event.dataset_id : undefined;
}

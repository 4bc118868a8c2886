import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient, type ClickHouseClient, type ClickHouseSettings } from '@clickhouse/client';

export interface Engine {
  client: ClickHouseClient;
  /** Whether others may ask it too. */
  isShared: boolean;
  insert(rows: InsertedRows): Promise<unknown>;
  close(): Promise<void>;
}

interface InsertedRows {
  table: string;
  columns: [string, ...string[]];
  /** Lists of values in JSON, a line each, many in a text. */
  lines: AsyncIterable<string>;
  settings: ClickHouseSettings;
  query_id: string;
}

/** With names in each row the engine takes half as long again. */
const FORMAT = 'JSONCompactEachRow';

/** Longer than any statement of ours may take, so that the server gives up first. */
const REQUEST_MS = 150_000;

/** Headers of progress keep connections from being taken for idle ones. */
const PROGRESS = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '20000' } as const;

/** Errors are logged by those who ask; rows come as texts of many lines, which are written as they are. */
const WAYS = {
  log: { level: ClickHouseLogLevel.OFF },
  json: { stringify: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)) },
};

/** A server; nothing is asked yet. */
export function connectByUrl({
  url,
  username,
  password,
}: {
  url: string;
  username: string;
  password?: string | undefined;
}): Engine {
  const client = createClient({
    url,
    username,
    password: password ?? '',
    request_timeout: REQUEST_MS,
    application: 'spandrel',
    ...WAYS,
    clickhouse_settings: PROGRESS,
  });
  return {
    client,
    isShared: true,
    insert: ({ lines, settings, ...of }) =>
      client.insert({ ...of, format: FORMAT, values: Readable.from(lines), clickhouse_settings: settings }),
    close: () => client.close(),
  };
}

interface Chdb {
  createChdbConnection(options: { path: string }): { chdb: { rawInsert(rows: object): Promise<unknown> } };
  drainPending(): Promise<void>;
}

/**
 * An engine within this process, which keeps its data in a folder.
 * @param folder in which the package `chdb` is installed. @throws Error when it is not.
 */
export function openEmbedded(path: string, folder: string): Engine {
  const { createChdbConnection, drainPending } = requireChdb(folder);
  const connection = createChdbConnection({ path: resolve(path) });
  const client = createClient({ connection, ...WAYS } as object);
  // Bytes: a text of all rows would be put together and translated while requests wait.
  const insert = async ({ lines, ...of }: InsertedRows): Promise<unknown> => {
    const bytes: Buffer[] = [];
    for await (const text of lines) bytes.push(Buffer.from(`${text}\n`));
    return connection.chdb.rawInsert({ ...of, format: FORMAT, values: Buffer.concat(bytes) });
  };
  const close = async (): Promise<void> => {
    // A connection that is closed while a query computes ends the process.
    await drainPending();
    await client.close();
  };
  return { client, isShared: false, insert, close };
}

function requireChdb(folder: string): Chdb {
  const from = createRequire(join(resolve(folder), 'package.json'));
  try {
    const { createChdbConnection } = from('chdb/connection') as Chdb;
    const { drainPending } = from('chdb') as Chdb;
    return { createChdbConnection, drainPending };
  } catch (error) {
    throw new Error(`config path: the package chdb is needed in ${folder}: npm install chdb`, { cause: error });
  }
}

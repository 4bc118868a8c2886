import pg from 'pg';
import type { Caller } from './caller.ts';
import { traceIdOf } from './postgres-data.ts';

/** Spans of one ingest. */
export const INGEST_SPANS = 500;

/**
 * Sends spans with their traces, {@link INGEST_SPANS} a request, two requests on the way.
 * @param next the number of the nth request; `undefined` ends it.
 * @returns how many were acknowledged.
 */
export async function sendSpans(
  caller: Caller,
  next: (n: number) => number | undefined,
  of: (n: number) => object,
): Promise<number> {
  let sent = 0;
  let requests = 0;
  const sender = async (): Promise<void> => {
    for (let n = next(requests++); n !== undefined; n = next(requests++)) {
      const numbers = Array.from({ length: INGEST_SPANS }, (_, i) => n! * INGEST_SPANS + i);
      const traces = [...new Set(numbers.map(traceIdOf))].map((id) => ({ id }));
      const { accepted } = await caller.post<{ accepted: { spans: number } }>('/api/ingest', {
        traces,
        spans: numbers.map(of),
      });
      sent += accepted.spans;
    }
  };
  await Promise.all([sender(), sender()]);
  return sent;
}

/** Asks the database itself. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Bytes of the database's files, without the log of the whole server, which is bounded and used again. */
export async function databaseBytes(url: string): Promise<number> {
  const [size] = await query(url, 'select pg_database_size(current_database()) as bytes');
  return Number(size!['bytes']);
}

/** Spans in the database. */
export const countSpans = async (url: string): Promise<number> =>
  Number((await query(url, 'select count(*) as n from span'))[0]!['n']);

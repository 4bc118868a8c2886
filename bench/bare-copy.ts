import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** Rows that are taken for the bare copy. */
const ROWS = 20_000;
const TABLES = ['span', 'span_payload'] as const;

/**
 * The limit of an ingest: the rows that the API stored, copied by `COPY … FROM STDIN` into empty tables with the same
 * indexes, `batch` spans a transaction. @returns spans per second.
 */
export async function copiedSpansPerSecond(url: string, batch: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create schema bare');
    const lines = new Map<string, string[]>();
    for (const table of TABLES) {
      await client.query(`create table bare.${table} (like public.${table} including all)`);
      lines.set(table, await rowsOf(client, table));
    }
    const count = Math.min(...TABLES.map((table) => lines.get(table)!.length));
    const started = performance.now();
    for (let from = 0; from < count; from += batch) {
      await client.query('begin');
      for (const table of TABLES) {
        const text = `${lines
          .get(table)!
          .slice(from, from + batch)
          .join('\n')}\n`;
        await pipeline(Readable.from([Buffer.from(text)]), client.query(copyFrom(`copy bare.${table} from stdin`)));
      }
      await client.query('commit');
    }
    return count / ((performance.now() - started) / 1000);
  } finally {
    await client.query('drop schema if exists bare cascade');
    await client.end();
  }
}

/** Rows as COPY writes them, one a line, in the order in which they came. */
async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const chunks: Buffer[] = [];
  await pipeline(
    client.query(copyTo(`copy (select * from public.${table} limit ${ROWS}) to stdout`)),
    new Writable({ write: (chunk: Buffer, _encoding, done) => (chunks.push(chunk), done()) }),
  );
  return Buffer.concat(chunks).toString().trimEnd().split('\n');
}

/**
 * The far end of {@link ReadWorkers}. It runs as it is, compiled or not: it imports nothing but Node and the driver.
 */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';

interface Request {
  text: string;
  params: (string | number | null | Uint8Array)[];
}

const STATEMENTS_MAX = 100;

const { file, timeoutMs } = workerData as { file: string; timeoutMs: number };
const database = new Database(file, { readonly: true, timeout: timeoutMs });
// Nothing is mapped: a page that is missing from a mapping brings what the disk reads ahead with it, up to megabytes for 16 KiB
// (docs/adr/0039-lists-planned-once.md#5000000-spans-on-a-cold-disk).
database.exec('pragma query_only = on; pragma cache_size = -65536; pragma temp_store = memory');
database.function('texts_digest', { deterministic: true }, (id: string, input: string | null, output: string | null) =>
  createHash('md5')
    .update(`${id} ${Buffer.byteLength(input ?? '')} ${input ?? ''}${output ?? ''}`)
    .digest()
    .readUIntBE(0, 5),
);
const statements = new Map<string, Database.Statement>();

function prepare(text: string): Database.Statement {
  let statement = statements.get(text);
  if (!statement) {
    if (statements.size >= STATEMENTS_MAX) statements.clear();
    statement = database.prepare(text);
    statements.set(text, statement);
  }
  return statement;
}

parentPort?.on('message', (request: Request | 'end') => {
  if (request === 'end') return parentPort?.close();
  try {
    parentPort?.postMessage({ rows: prepare(request.text).all(request.params) });
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    parentPort?.postMessage({ error: { message, code } });
  }
});

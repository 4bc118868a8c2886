/**
 * The far end of {@link Checkpoints}. It runs as it is, compiled or not: it imports nothing but Node and the driver.
 */
import Database from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';

const { file, timeoutMs } = workerData as { file: string; timeoutMs: number };
const database = new Database(file, { fileMustExist: true, timeout: timeoutMs });
database.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0');
const checkpoint = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', (order: 'copy' | 'end') => {
  if (order === 'end') parentPort?.close();
  else parentPort?.postMessage(checkpoint.get());
});

import type { Worker } from 'node:worker_threads';

/**
 * Ends a thread that holds a connection, once it has done what it was asked before.
 *
 * It ends by itself, on the message `end`. `terminate()` in the moment in which the thread loads the driver's native module
 * aborts the whole process (`FATAL ERROR: Error::New napi_get_last_error_info`), and state that a terminated thread was sending
 * arrives as `undefined`.
 * @param worker a thread that has not ended.
 */
export async function endThread(worker: Worker): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  // The end is waited for: without this the process could run out of work before.
  worker.ref();
  worker.postMessage('end');
  await ended;
}

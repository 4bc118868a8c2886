import { workerAddress } from '../../live/script-policy.js';
// oxlint-disable-next-line import/default -- Vite gives the address of the built worker
import workerUrl from './diff.worker.js?worker&url';
import type { DiffPart, DiffUnit } from './diff-parts.js';
import type { DiffReply, DiffRequest } from './diff-protocol.js';

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, (parts: readonly DiffPart[]) => void>();

/** The one worker that compares texts; it starts with the first. */
function startedWorker(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(workerAddress(workerUrl), { type: 'module', name: 'diff' });
  worker.onmessage = ({ data: { id, parts } }: MessageEvent<DiffReply>) => {
    waiting.get(id)?.(parts);
    waiting.delete(id);
  };
  return worker;
}

/** Compares two texts without holding the page up. */
export function compareTexts(before: string, after: string, unit: DiffUnit): Promise<readonly DiffPart[]> {
  const request: DiffRequest = { id: ++lastId, before, after, unit };
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    startedWorker().postMessage(request);
  });
}

import { diffParts } from './diff-parts.js';
import type { DiffReply, DiffRequest } from './diff-protocol.js';

/** The worker's own side, as far as it is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<DiffRequest>) => void) | null;
  postMessage(reply: DiffReply): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data: { id, before, after, unit } }) => {
  scope.postMessage({ id, parts: diffParts(before, after, unit) });
};

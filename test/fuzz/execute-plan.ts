import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './check-answers.ts';
import { ADMITTED, type Plan } from './plan.ts';
import { readAnswers } from './read-answers.ts';

/** Bytes of an answer that are kept; what is beyond is read and forgotten. */
const KEPT_MAX = 4 * 1024 * 1024;

/** Where plans are carried out, and as whom. */
export interface Stage {
  ports: Readonly<Record<Plan['port'], number>>;
  /** Header lines of callers, each with its line break. */
  admitted: Readonly<Record<Plan['port'], string>>;
  /** How long an answer may take; beyond it a request hangs. */
  patienceMs: number;
  /** Whether the program has ended, so that nobody waits for it. */
  hasEnded(): boolean;
}

/** Carries a plan out on a connection of its own. */
export async function executePlan(plan: Plan, stage: Stage): Promise<Exchange> {
  const began = performance.now();
  const chunks: Buffer[] = [];
  let [kept, failure, closed, left, connected] = [0, '', false, false, false];
  let wake = (): void => undefined;
  const socket = connect({ port: stage.ports[plan.port], host: '127.0.0.1', allowHalfOpen: true });
  socket.setNoDelay(true);
  socket.on('connect', () => (connected = true));
  socket.on('data', (chunk: Buffer) => {
    if (kept < KEPT_MAX) chunks.push(chunk);
    kept += chunk.length;
    wake();
  });
  socket.on('end', () => {
    closed = true;
    socket.end();
    wake();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code ?? error.message;
    closed = true;
    wake();
  });
  socket.on('close', () => {
    closed = true;
    wake();
  });
  const methods = plan.expected.map(({ method }) => method);
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  const answered = (): number => {
    const read = readAnswers(received(), methods, closed);
    return read.fault === undefined ? read.answers.filter(({ whole }) => whole).length : Infinity;
  };
  /** Waits for news, asking again as more comes, until the condition holds, the server closes, or patience ends. */
  const waitFor = async (holds: () => boolean, patienceMs: number): Promise<void> => {
    const deadline = performance.now() + patienceMs;
    while (!closed && !left && performance.now() < deadline && !stage.hasEnded() && !holds()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, 500);
      wake = resolve;
      await promise;
      clearTimeout(timer);
      // One look for many small chunks.
      if (kept > 65_536) await sleep(kept / 50_000);
    }
  };
  for (const step of plan.steps) {
    if (left) break;
    if ('write' in step) {
      if (socket.writable) {
        const bytes = step.write.replaceAll(ADMITTED, stage.admitted[plan.port]);
        if (!socket.write(bytes, 'latin1')) await waitFor(() => !socket.writableNeedDrain, stage.patienceMs);
      }
    } else if ('waitMs' in step) await sleep(step.waitMs);
    else if ('answers' in step) await waitFor(() => answered() >= step.answers, stage.patienceMs);
    else if (step.end === 'fin') socket.end();
    else {
      left = true;
      if (step.end === 'rst') socket.resetAndDestroy();
      else socket.destroy();
    }
  }
  await waitFor(() => answered() >= plan.expected.length, stage.patienceMs);
  // What comes behind the last answer is seen too.
  if (!closed && !left) await sleep(20);
  const isSilent = !closed && !left && answered() < plan.expected.length;
  const ended = failure === '' ? 'closed' : 'reset';
  const end = left ? 'left' : !connected ? 'refused' : isSilent ? 'silent' : closed ? ended : 'left';
  socket.destroy();
  return { received: received(), end, millis: performance.now() - began };
}

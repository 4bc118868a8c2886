import { workerAddress } from '../../live/script-policy.js';
// oxlint-disable-next-line import/default -- Vite gives the address of the built worker
import workerUrl from './payload.worker.js?worker&url';
import type {
  PayloadQuestion,
  PayloadQuestions,
  PayloadReply,
  PayloadRequest,
  PayloadSummary,
} from './payload-protocol.js';

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

let worker: Worker | null = null;
const waiting = new Map<number, Waiting>();
let lastId = 0;

/** The one worker that reads the texts of spans; it starts with the first. */
function startedWorker(): Worker {
  if (worker !== null) return worker;
  worker = new Worker(workerAddress(workerUrl), { type: 'module', name: 'payload' });
  worker.onmessage = ({ data }: MessageEvent<PayloadReply>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if ('fault' in data) asked?.reject(new Error(data.fault));
    else asked?.resolve(data.answer);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const { reject } of waiting.values()) reject(new Error('The texts could not be read.'));
    waiting.clear();
    worker?.terminate();
    worker = null;
  };
  return worker;
}

function ask<Question extends PayloadQuestion>(
  payload: number,
  question: Question,
  given: PayloadQuestions[Question]['given'],
): Promise<PayloadQuestions[Question]['answer']> {
  const id = ++lastId;
  const request: PayloadRequest = { id, payload, question, given };
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    startedWorker().postMessage(request);
  });
}

/** The texts of a span that a worker holds and reads; `close` them when they are shown no more. */
export interface OpenPayload {
  readonly id: number;
  readonly summary: PayloadSummary;
  ask<Question extends PayloadQuestion>(
    question: Question,
    given: PayloadQuestions[Question]['given'],
  ): Promise<PayloadQuestions[Question]['answer']>;
  close(): void;
}

let lastPayload = 0;

/** Hands a span to the worker. @param text the answer of `GET /api/spans/:id`. */
export async function openPayload(text: string): Promise<OpenPayload> {
  const id = ++lastPayload;
  const summary = await ask(id, 'open', { text });
  return {
    id,
    summary,
    ask: (question, given) => ask(id, question, given),
    close: () => void ask(id, 'close', {}),
  };
}

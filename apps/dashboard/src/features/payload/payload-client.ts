import { workerAddress } from '../../live/script-policy.js';
import { connectWorker } from '../worker-calls.js';
import type { PayloadSummary } from './payload-types.js';
import type { PayloadCalls } from './payload.worker.js';
// oxlint-disable-next-line import/default -- Vite gives the address of the built worker
import workerUrl from './payload.worker.js?worker&url';

const callPayload = connectWorker<PayloadCalls>(workerAddress(workerUrl), 'payload');

type Question = Exclude<keyof PayloadCalls, 'open' | 'close'>;
export type Given<Name extends Question> = Omit<Parameters<PayloadCalls[Name]>[0], 'payload'>;
export type Answer<Name extends Question> = ReturnType<PayloadCalls[Name]>;
export type { Question as PayloadQuestion };

/** The texts of a span that a worker holds and reads; `close` them when they are shown no more. */
export interface OpenPayload {
  readonly id: number;
  readonly summary: PayloadSummary;
  ask<Name extends Question>(question: Name, given: Given<Name>): Promise<Answer<Name>>;
  close(): void;
}

let lastPayload = 0;

/** Hands a span to the worker. @param text the answer of `GET /api/spans/:id`. */
export async function openPayload(text: string): Promise<OpenPayload> {
  const payload = ++lastPayload;
  return {
    id: payload,
    summary: await callPayload('open', { payload, text }),
    ask: (question, given) => callPayload(question, { payload, ...given } as never) as never,
    close: () => void callPayload('close', { payload }),
  };
}

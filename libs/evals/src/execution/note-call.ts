import type { OpenConnection } from '@spandrel/connections';
import type { ChatCall } from '@spandrel/plugin-api';
import { callModel, ModelCallError, type ModelAnswer, type ModelCallOptions } from './model-call.js';

/** A call that was made for an item, with all its attempts. */
export interface NotedCall {
  /** Whom it asked: the run's model, or the judge. */
  asked: 'model' | 'judge';
  /** The scorer that asked the judge, where a run has several. */
  scorer?: string;
  connection: Pick<OpenConnection, 'id' | 'providerName'>;
  call: ChatCall;
  /** From the first attempt to the last, in ms since the epoch. */
  startedAt: number;
  endedAt: number;
  attempts: number;
  /** What came of it; an error is a sentence without the key. */
  outcome: ModelAnswer | { error: string };
}

/** How the calls of an item are made; `note`, where given, hears of each one that is over. */
export interface ItemCallOptions extends ModelCallOptions {
  note?: (call: NotedCall) => void;
}

/** Calls a model like {@link callModel}, and notes it where somebody listens; a call that is given up is not noted. */
export const noteCall = (
  asked: NotedCall['asked'],
  connection: OpenConnection,
  call: ChatCall,
  options: ItemCallOptions,
): Promise<ModelAnswer> =>
  options.note ? callAndNote(asked, connection, call, options, options.note) : callModel(connection, call, options);

async function callAndNote(
  asked: NotedCall['asked'],
  connection: OpenConnection,
  call: ChatCall,
  options: ModelCallOptions,
  note: (call: NotedCall) => void,
): Promise<ModelAnswer> {
  const startedAt = Date.now();
  const noted = (attempts: number, outcome: NotedCall['outcome']): void =>
    note({ asked, connection, call, startedAt, endedAt: Date.now(), attempts, outcome });
  try {
    const answer = await callModel(connection, call, options);
    noted(answer.attempts, answer);
    return answer;
  } catch (error) {
    if (!options.signal.aborted) {
      const message = error instanceof Error ? error.message : String(error);
      noted(error instanceof ModelCallError ? error.attempts : 0, { error: connection.redact(message) });
    }
    throw error;
  }
}

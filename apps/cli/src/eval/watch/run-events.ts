import type { Api } from '@spandrel/sdk';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** What happened to a run. */
export type RunEvent =
  | { type: 'eval_progress'; run_id: string; sample_progress: number; sample_total: number }
  | { type: 'eval_started' | 'eval_completed' | 'eval_failed' | 'eval_cancelled'; run_id: string };

const TYPES = 'eval_started,eval_progress,eval_completed,eval_failed,eval_cancelled';

/**
 * Opens the stream of events.
 * @returns the events of one run from now on, once the server has begun to answer: what happens behind that is on it. They
 *   end when the connection does.
 * @throws SpandrelError when the stream cannot be opened.
 */
export async function openRunEvents(api: Api, runId: string, signal: AbortSignal): Promise<AsyncIterable<RunEvent>> {
  const answer = await api.raw('GET', '/api/events', { query: { types: TYPES }, signal, retry: false });
  return eventsOf(answer, runId);
}

async function* eventsOf(answer: Response, runId: string): AsyncGenerator<RunEvent> {
  const messages = answer.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of messages) {
    const event = JSON.parse(data) as RunEvent;
    if (event.run_id === runId) yield event;
  }
}

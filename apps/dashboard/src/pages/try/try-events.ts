import type { TryCall, TryEvent } from '@spandrel/contract';
import { SpandrelError } from '@spandrel/sdk/api';
import { api } from '../../api/api.js';

const PREFIX = 'data: ';
const TOO_MANY = 429;

/** Makes a try, and hands on its events; where too many are under way it waits its turn. @throws SpandrelError */
export async function* tryEvents(body: TryCall, signal: AbortSignal): AsyncGenerator<TryEvent> {
  const answer = await begun(body, signal);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (text + piece.value).split('\n');
    text = lines.pop()!;
    for (const line of lines) if (line.startsWith(PREFIX)) yield JSON.parse(line.slice(PREFIX.length)) as TryEvent;
  }
}

async function begun(body: TryCall, signal: AbortSignal): Promise<Response> {
  for (;;) {
    try {
      return await api.tryCall({ body, signal });
    } catch (error) {
      if (!(error instanceof SpandrelError) || error.status !== TOO_MANY) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? 1_000));
      signal.throwIfAborted();
    }
  }
}

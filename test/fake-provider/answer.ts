import type { Scenario } from './scenario.ts';

/** What a provider format answers: one body, or the pieces of a stream. */
export interface FakeAnswer {
  status: number;
  contentType: string;
  /** One piece for a whole answer, one a frame for a stream. */
  pieces: string[];
  streamed: boolean;
}

/** A call as a provider format sees it. */
export interface FakeCall {
  path: string;
  body: Record<string, unknown>;
  scenario: Scenario;
  /** What the model says. */
  text: string;
  /** The key the caller sent, for errors that repeat it. */
  apiKey: string;
}

export const jsonAnswer = (value: unknown, status = 200): FakeAnswer => ({
  status,
  contentType: 'application/json',
  pieces: [JSON.stringify(value)],
  streamed: false,
});

/** @param events data of the events, named by their `type` when `named`; a text is sent as it is. */
export const sseAnswer = (events: (string | object)[], named: boolean): FakeAnswer => ({
  status: 200,
  contentType: 'text/event-stream; charset=utf-8',
  streamed: true,
  pieces: events.map((event) =>
    typeof event === 'string'
      ? `data: ${event}\n\n`
      : `${named ? `event: ${(event as { type?: string }).type ?? ''}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  ),
});

export const ndjsonAnswer = (lines: unknown[]): FakeAnswer => ({
  status: 200,
  contentType: 'application/x-ndjson',
  streamed: true,
  pieces: lines.map((line) => `${JSON.stringify(line)}\n`),
});

/** The text in the pieces it streams in: words, each with the space before it; a long text in at most 1,000 pieces. */
export function tokensOf(text: string): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  const together = Math.ceil(words.length / 1_000);
  return Array.from({ length: Math.min(words.length, 1_000) }, (_, piece) =>
    words.slice(piece * together, (piece + 1) * together).join(''),
  ).filter((piece) => piece !== '');
}

/** What the user said last, wherever the format keeps it. */
export function lastSaid(body: Record<string, unknown>): string {
  const list = body['messages'] ?? body['input'] ?? body['prompt'];
  const last = Array.isArray(list) ? list.at(-1) : list;
  return plainText((last as { content?: unknown } | undefined)?.content ?? last);
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map((part) => plainText((part as { text?: unknown }).text ?? '')).join('');
  return '';
}

/** Message of an error scenario; `error-key` repeats the caller's key, as careless providers do. */
export const errorMessage = (status: number, { scenario, apiKey }: FakeCall): string =>
  scenario.has('error-key') ? `Incorrect API key provided: ${apiKey}` : `fake provider error ${status}`;

import { get, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import type { EventPayload } from '@spandrel/contract';
import { until } from '../support/spandrel.ts';

/** An event as a client got it. */
export interface SeenEvent {
  id: number;
  /** The text of the `data:` lines, unread. */
  data: string;
}

export interface ListenOptions {
  /** Behind `?`. */
  query?: string;
  headers?: Record<string, string>;
  /** Local mode's when left out. */
  project?: string | undefined;
}

/** A client of the event stream, with a parser that is not ours. */
export class EventClient {
  readonly events: SeenEvent[] = [];
  /** Names that came in `event:`. */
  readonly names = new Set<string | undefined>();
  readonly comments: string[] = [];
  retryMs: number | undefined;
  isOpen = true;
  /** Everything, as it came. */
  text = '';

  private constructor(
    private readonly request: ClientRequest,
    private readonly response: IncomingMessage,
  ) {
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        this.events.push({ id: Number(id), data });
        this.names.add(event);
      },
      onComment: (comment) => this.comments.push(comment),
      onRetry: (retry) => (this.retryMs = retry),
    });
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      this.text += text;
      parser.feed(text);
    });
    response.on('error', () => undefined);
    response.on('close', () => (this.isOpen = false));
  }

  /** Resolves with the headers. */
  static async open(url: string, { query = '', headers = {}, project }: ListenOptions = {}): Promise<EventClient> {
    const all = { ...headers, ...(project !== undefined && { 'x-test-project': project }) };
    const request = get(`${url}/api/events${query && `?${query}`}`, { headers: all, agent: false });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request.on('response', resolve);
    request.on('error', reject);
    return new EventClient(request, await promise);
  }

  get status(): number {
    return this.response.statusCode!;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  get ids(): number[] {
    return this.events.map(({ id }) => id);
  }

  get payloads(): EventPayload[] {
    return this.events.map(({ data }) => JSON.parse(data) as EventPayload);
  }

  get types(): string[] {
    return this.payloads.map(({ type }) => type);
  }

  /** Stops reading, as a client that hangs. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  /** Waits until so many events have come. */
  async has(count: number, timeoutMs = 10_000): Promise<void> {
    await until(
      () => this.events.length >= count,
      timeoutMs,
      () => `${this.events.length} of ${count} events have come: ${this.types.join(', ').slice(-400)}`,
    );
  }

  /** Waits for the end of the stream. */
  async ended(timeoutMs = 10_000): Promise<void> {
    await until(
      () => !this.isOpen,
      timeoutMs,
      () => 'the stream has not ended',
    );
  }

  close(): void {
    this.request.destroy();
  }
}

/** Numbers from `first` to `last`. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

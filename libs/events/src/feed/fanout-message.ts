import { z } from 'zod';
import type { EventBatch } from '../log/event-batch.js';

/** Longest text of events that a message carries, in UTF-16 units; receivers read longer ones from the log. */
const LINES_TEXT_MAX = 256 * 1024;

const seq = z.int().min(1);
const headSchema = z.object({
  /** The process that sends the message. */
  instance: z.string(),
  /** What was committed; left out when the sender does not know what it could not send. */
  events: z.object({ projectId: z.string(), firstSeq: seq, lastSeq: seq }).optional(),
});

/** A message from one instance to the others. */
export interface FanoutMessage {
  instance: string;
  /** Committed events, without their texts when these are large; `undefined` when some could not be sent. */
  events: (Omit<EventBatch, 'lines'> & { lines: readonly string[] | undefined }) | undefined;
}

/** A message as it is sent: a line of JSON, then the JSON texts of the events, one a line, as they are. */
export function writeMessage(instance: string, batch?: EventBatch): string {
  if (!batch) return JSON.stringify({ instance });
  const { projectId, firstSeq, lastSeq, lines } = batch;
  const head = JSON.stringify({ instance, events: { projectId, firstSeq, lastSeq } });
  let length = 0;
  for (const line of lines) length += line.length;
  return length > LINES_TEXT_MAX ? head : [head, ...lines].join('\n');
}

/** @returns `undefined` for what is no message of ours. */
export function readMessage(text: string): FanoutMessage | undefined {
  const [first, ...lines] = text.split('\n');
  const head = headSchema.safeParse(parse(first!));
  if (!head.success) return undefined;
  const { instance, events } = head.data;
  if (!events) return { instance, events: undefined };
  const isWhole = lines.length === events.lastSeq - events.firstSeq + 1;
  return { instance, events: { ...events, lines: isWhole ? lines : undefined } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Sends messages as long as those on their way hold no more text than they may: behind a connection that takes nothing
 * they wait in this process's memory.
 */
export class BoundedSender {
  private onTheWay = 0;

  /**
   * @param send resolves when a message has been taken.
   * @param textMax in UTF-16 units; a message has its turn when nothing is on the way, however long it is.
   */
  constructor(
    private readonly send: (message: string) => Promise<unknown>,
    private readonly textMax: number,
  ) {}

  /** Whether everything has been taken. */
  get idle(): boolean {
    return this.onTheWay === 0;
  }

  /** @returns `false` when there is no room for it: it is not sent. @throws what sending throws. */
  async offer(message: string): Promise<boolean> {
    if (this.onTheWay > 0 && this.onTheWay + message.length > this.textMax) return false;
    this.onTheWay += message.length;
    try {
      await this.send(message);
    } finally {
      this.onTheWay -= message.length;
    }
    return true;
  }
}

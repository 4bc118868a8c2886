import { hash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Clock, Logger } from '@spandrel/kernel';
import { objectOf, readJson } from '@spandrel/plugin-api';
import type { CallerKey } from '../access/caller-key.js';
import type { Base } from '../target/provider-table.js';
import type { CaptureSetting } from './capture.js';

/** A response of the Responses API that ran on behind its call, and the span that its end belongs to. */
export interface AwaitedResponse {
  spanId: string;
  traceId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  name: string;
  provider: string;
  model: string;
  capture: CaptureSetting;
}

/** A line of the file; without a response: it is awaited no longer. */
interface Line {
  key: string;
  at?: number;
  response?: AwaitedResponse;
}

const FILE = 'background-responses.jsonl';

/** How long an end is waited for, and for how many at a time. */
const AWAITED_MS = 7 * 24 * 3_600_000;
const AWAITED_MAX = 10_000;

/** The file is rewritten once it has so many times more lines than responses are awaited. */
const LINES_PER_RESPONSE = 4;

/**
 * Responses whose end a later call will bring (docs/spec/gateway.md#background-responses). They are known by caller, base and id, so that
 * nobody else's call ends them; with a spool directory a file there has them over a restart.
 */
export class BackgroundResponses {
  private readonly awaited = new Map<string, { response: AwaitedResponse; at: number }>();
  private lines = 0;
  private writing = Promise.resolve();
  private hasFailed = false;

  private constructor(
    private readonly file: string | null,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @param directory the spool directory; `null`: they are kept in memory alone. */
  static async open(directory: string | null, clock: Clock, logger: Logger): Promise<BackgroundResponses> {
    const responses = new BackgroundResponses(directory && path.join(directory, FILE), clock, logger);
    await responses.load();
    return responses;
  }

  find(key: string): AwaitedResponse | undefined {
    const entry = this.awaited.get(key);
    return entry && entry.at + AWAITED_MS > this.clock.now() ? entry.response : undefined;
  }

  add(key: string, response: AwaitedResponse): void {
    const at = this.clock.now();
    this.put(key, at, response);
    this.write({ key, at, response });
  }

  /** The end has come. @returns false when it had before. */
  complete(key: string): boolean {
    if (!this.awaited.delete(key)) return false;
    this.write({ key });
    return true;
  }

  /** Waits until the file has what it was given. */
  async close(): Promise<void> {
    await this.writing;
  }

  private put(key: string, at: number, response: AwaitedResponse): void {
    this.awaited.set(key, { at, response });
    if (this.awaited.size > AWAITED_MAX) this.awaited.delete(this.awaited.keys().next().value!);
  }

  private async load(): Promise<void> {
    if (this.file === null) return;
    let text: string;
    try {
      text = await fs.readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.fail(error);
      return;
    }
    const oldest = this.clock.now() - AWAITED_MS;
    for (const line of text.split('\n')) {
      const { key, at, response } = readLine(line);
      this.lines++;
      if (key === undefined) continue;
      if (response === undefined || at === undefined || at < oldest) this.awaited.delete(key);
      else this.put(key, at, response);
    }
    this.rewrite();
  }

  private write(line: Line): void {
    const { file } = this;
    if (file === null) return;
    if (++this.lines > AWAITED_MAX && this.lines > LINES_PER_RESPONSE * this.awaited.size) this.rewrite();
    else this.enqueue(() => fs.appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
  }

  private rewrite(): void {
    const file = this.file!;
    const lines = [...this.awaited].map(([key, entry]) => `${JSON.stringify({ key, ...entry })}\n`);
    this.lines = lines.length;
    this.enqueue(async () => {
      await fs.writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
      await fs.rename(`${file}.new`, file);
    });
  }

  private enqueue(write: () => Promise<void>): void {
    this.writing = this.writing.then(write).catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    if (!this.hasFailed) {
      this.logger.warn(
        { err: error },
        'the spool directory does not take which responses run in the background: their ends are not recorded behind a restart',
      );
    }
    this.hasFailed = true;
  }
}

/** The name of a response among those of all callers and bases. */
export const responseKey = (caller: CallerKey | null, { origin, path: prefix }: Base, id: string): string =>
  hash('sha256', JSON.stringify([caller?.digest ?? '', origin.key, prefix, id]), 'base64url');

/** A line as far as it can be read: a crash cuts the last one. */
function readLine(text: string): Partial<Line> {
  const line: Partial<Line> = objectOf(readJson(text));
  const isWhole = typeof line.key === 'string' && (line.response === undefined || isAwaited(line.response));
  return isWhole ? line : {};
}

function isAwaited(value: unknown): value is AwaitedResponse {
  const { spanId, traceId, startedAt, name, provider, model, capture } = Object(value) as Partial<AwaitedResponse>;
  const texts = [spanId, traceId, name, provider, model];
  return (
    texts.every((text) => typeof text === 'string') && typeof startedAt === 'number' && Object(capture) === capture
  );
}

import type { Api } from '../api/client.js';
import type { ExternalResult } from '../api/schema.js';
import { mayPass } from '../api/send.js';
import { SpandrelError } from '../api/spandrel-error.js';
import { backoffMs } from '../delivery/backoff.js';
import { pause } from './limited.js';

/** Where results go, and who is notified of them. */
export interface ResultsSettings {
  api: Api;
  runId: string;
  /** Ends what is under way. */
  signal: AbortSignal;
  /** Notified of results once they are durable. */
  onDurable: (results: readonly ExternalResult[]) => void;
  /** Called once no more results can go: the run is over, or sending has failed for good. */
  onEnd: (reason: unknown) => void;
  /** Longest time without an answer of the server, in ms; for tests. */
  patienceMs?: number;
}

/** So many results go with one request, and so many characters of them. */
const BATCH_RESULTS = 500;
const BATCH_CHARACTERS = 1_000_000;
/** Requests begin so far apart: an organization has a limit, and its applications need it, too. */
const APART_MS = 100;
/** What waits holds up further tries from here on. */
const WAITING_MAX = 1_000;
const WAITING_CHARACTERS_MAX = 16_000_000;
const PATIENCE_MS = 120_000;
/** The first pause after a request without an answer, which doubles with each further one up to the longest. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 10_000;

/** Ends a pool of tries: the run takes no more results. */
export class RunIsOver extends Error {
  override readonly name = 'RunIsOver';
}

interface Waiting {
  result: ExternalResult;
  characters: number;
}

/**
 * Sends results as they come, one request at a time. A result that is sent twice counts once for the server, so that a request
 * without an answer is made again.
 */
export class ResultSender {
  /** Durable ones. */
  accepted = 0;
  private waiting: Waiting[] = [];
  private characters = 0;
  private sending: Promise<void> | undefined;
  private failure: { reason: unknown } | undefined;
  private lastBegan = -Infinity;
  private room: (() => void)[] = [];

  constructor(private readonly settings: ResultsSettings) {}

  /** @returns once there is room for more. @throws why no more results can go. */
  async add(result: ExternalResult): Promise<void> {
    if (this.failure) throw this.failure.reason;
    const characters = JSON.stringify(result).length;
    this.waiting.push({ result, characters });
    this.characters += characters;
    this.sending ??= this.sendAll();
    while (!this.failure && (this.waiting.length >= WAITING_MAX || this.characters >= WAITING_CHARACTERS_MAX)) {
      await new Promise<void>((resolve) => this.room.push(resolve));
    }
  }

  /** @returns once all results are durable. @throws why they cannot be. */
  async drained(): Promise<void> {
    await this.sending;
    if (this.failure) throw this.failure.reason;
  }

  private async sendAll(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        await pause(Math.max(0, this.lastBegan + APART_MS - performance.now()), this.settings.signal);
        this.lastBegan = performance.now();
        await this.send(this.take());
      }
    } catch (reason) {
      this.failure = { reason };
      this.settings.onEnd(reason);
    } finally {
      this.sending = undefined;
      this.giveRoom();
    }
  }

  private take(): ExternalResult[] {
    let characters = 0;
    let count = 0;
    for (const { characters: more } of this.waiting) {
      if (count > 0 && (count === BATCH_RESULTS || characters + more > BATCH_CHARACTERS)) break;
      characters += more;
      count++;
    }
    const batch = this.waiting.splice(0, count).map(({ result }) => result);
    this.characters -= characters;
    return batch;
  }

  private async send(results: readonly ExternalResult[]): Promise<void> {
    try {
      const rejected = await this.post(results);
      const durable = results.filter((_, index) => !rejected.has(index));
      this.settle(durable);
      for (const [index, why] of rejected) await this.replace(results[index]!, why);
    } catch (error) {
      if (!(error instanceof SpandrelError) || error.status !== 413) throw error;
      const half = Math.ceil(results.length / 2);
      if (half === results.length) return this.replace(results[0]!, 'it is larger than the server takes');
      await this.send(results.slice(0, half));
      await this.send(results.slice(half));
    }
  }

  /** What the server does not take as it is becomes a failed sample that says so. */
  private async replace(result: ExternalResult, why: string): Promise<void> {
    const error = `the server did not take the result: ${why}`;
    const { output: _output, scores: _scores, ...others } = result;
    const replacement: ExternalResult = { ...others, error };
    const rejected = await this.post([replacement]);
    const again = rejected.get(0);
    if (again !== undefined)
      throw new Error(`the server takes no result for datapoint ${result.datapoint_id}: ${again}`);
    this.settle([replacement]);
  }

  private settle(results: readonly ExternalResult[]): void {
    if (results.length === 0) return;
    this.accepted += results.length;
    this.settings.onDurable(results);
    this.giveRoom();
  }

  private giveRoom(): void {
    for (const go of this.room.splice(0)) go();
  }

  /** @returns why results were rejected, by their places. A sample that another process has done meanwhile is not. */
  private async post(results: readonly ExternalResult[]): Promise<Map<number, string>> {
    const { api, runId, signal, patienceMs = PATIENCE_MS } = this.settings;
    const began = performance.now();
    for (let failures = 1; ; failures++) {
      try {
        const body = { results: [...results] };
        const { rejected } = await api.addEvalResults({ path: { id: runId }, body, signal, retry: true });
        return new Map(
          rejected.filter(({ code }) => code !== 'id_conflict').map(({ index, message }) => [index, message]),
        );
      } catch (error) {
        if (!(error instanceof SpandrelError)) throw error;
        if (error.code === 'eval_run_not_running') throw new RunIsOver(error.detail);
        if (!mayPass(error) || performance.now() - began > patienceMs) throw error;
        await pause(error.retryAfterMs ?? backoffMs(failures, PAUSE_MS, PAUSE_MS_MAX, Math.random), signal);
      }
    }
  }
}

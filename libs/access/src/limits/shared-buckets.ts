import { setImmediate as nextTurn } from 'node:timers/promises';
import { dropRedisClient, type Logger, makeRedisClient, OutageLog, type RedisClient, withinMs } from '@spandrel/kernel';
import { BUCKET_SCRIPT, BUCKET_SCRIPT_SHA } from './bucket-script.js';
import { LIMIT_NAMES, type CountedRequest, type Taken } from './take-tokens.js';

/** An answer of Redis that takes longer counts as none. */
const ANSWER_MS_MAX = 100;
const CONNECT_MS_MAX = 5_000;
/** How long Redis is left alone after it was lost. */
const RETRY_MS = 1_000;

/**
 * The buckets that all instances share, in Redis. One connection; it is given up when it breaks or an answer takes too
 * long, and only a connection that answers in time again is used: nobody else waits for a Redis that hangs.
 */
export class SharedBuckets {
  /** Answers in time, as far as is known. */
  private usable: RedisClient | undefined;
  private candidate: RedisClient | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly outage: OutageLog;

  constructor(
    private readonly url: string,
    logger: Logger,
  ) {
    this.outage = new OutageLog(logger, {
      lost: 'Redis cannot be reached: each instance limits requests by itself; trying on',
      found: 'Redis is reached again: the limits of requests hold for all instances together',
    });
  }

  /** Connects once; whether it succeeded or not, this goes on trying afterwards. */
  async connect(): Promise<void> {
    const client = await makeRedisClient(this.url, false);
    if (this.closed) return;
    this.candidate = client;
    client.on('error', (error: Error) => this.lose(client, error));
    try {
      await inTime(client.connect(), CONNECT_MS_MAX);
      // Nobody's bucket: it shows that Redis reads and writes, in time.
      await inTime(runScript(client, NOBODYS));
    } catch (error) {
      this.lose(client, error as Error);
      return;
    }
    if (this.candidate !== client) return;
    this.usable = client;
    this.outage.found();
  }

  /** @returns `undefined` when Redis does not say, or not in time. */
  async take(request: CountedRequest): Promise<Taken | undefined> {
    const client = this.usable;
    if (!client) return undefined;
    try {
      const [refused, org, project, key, route] = await inTime(runScript(client, request));
      return { refusedBy: LIMIT_NAMES[refused - 1] ?? null, remaining: { org, project, key, route } };
    } catch (error) {
      this.lose(client, error as Error);
      return undefined;
    }
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retry);
    if (this.candidate) dropRedisClient(this.candidate);
    this.candidate = this.usable = undefined;
  }

  private lose(client: RedisClient, error: Error): void {
    if (this.candidate !== client) return;
    this.candidate = this.usable = undefined;
    dropRedisClient(client);
    this.outage.lost(error);
    this.retry = setTimeout(() => void this.connect(), RETRY_MS).unref();
  }
}

const NOBODYS: CountedRequest = {
  ...{ orgId: '', projectId: '', keyId: null },
  rates: { org: 1, project: null, key: null, guaranteed: 0 },
};

type ScriptAnswer = [refused: number, org: number, project: number, key: number, route: number];

async function runScript(
  client: RedisClient,
  { orgId, projectId, keyId, routeId, rates }: CountedRequest,
): Promise<ScriptAnswer> {
  // The braces name the part of a key that Redis Cluster places it by.
  const org = `spandrel:limit:{${orgId}}`;
  const options = {
    keys: [org, `${org}:project:${projectId}`, `${org}:key:${keyId ?? ''}`, `${org}:route:${routeId ?? ''}`],
    arguments: [rates.org, rates.project ?? 0, rates.key ?? 0, rates.guaranteed, rates.route ?? 0].map(String),
  };
  try {
    return (await client.evalSha(BUCKET_SCRIPT_SHA, options)) as ScriptAnswer;
  } catch (error) {
    // Forgotten: SCRIPT FLUSH, or another server behind the same name.
    if (!String(error).includes('NOSCRIPT')) throw error;
    return (await client.eval(BUCKET_SCRIPT, options)) as ScriptAnswer;
  }
}

/**
 * In two halves, since a process that is busy reads late what came in time: after its pause Redis has a half still.
 * @throws when the answer takes longer than allowed.
 */
function inTime<T>(answer: Promise<T>, ms = ANSWER_MS_MAX): Promise<T> {
  const giveUp = async (): Promise<never> => {
    // One turn more: what has come by then is read first.
    await nextTurn();
    throw new Error(`no answer within ${ms} ms`);
  };
  return withinMs(ms / 2, answer, () => withinMs(ms / 2, answer, giveUp));
}

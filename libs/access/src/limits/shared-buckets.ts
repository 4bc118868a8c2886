import { setImmediate as nextTurn } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { dropRedisClient, type Logger, makeRedisClient, OutageLog, type RedisClient, withinMs } from '@spandrel/kernel';
import { LIMIT_NAMES, type CountedRequest, type Taken, bucketKeys } from './take-tokens.js';

/** Microseconds by the clock of Redis, so that the clocks of instances do not matter. */
export const REDIS_TIME = "local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]";

/**
 * `takeTokens` in Redis. Keys: organization, project, API key, route. Arguments: tokens a second of the first three (0: no
 * limit), the guarantee of the project, tokens a second of the route. Answer: the limit that was reached (1 to 4 in the
 * order of the keys; 0: none), and the tokens left of each. A key holds tokens (of a project the guarantee, too) and time.
 */
export const BUCKET_SCRIPT = `
local org_rate, project_rate = tonumber(ARGV[1]), tonumber(ARGV[2])
local key_rate, guaranteed, route_rate = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
${REDIS_TIME}
local held = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
local function filled(tokens, at, rate)
  if not tokens then
    return rate
  end
  return math.min(rate, tonumber(tokens) + math.max(0, now - tonumber(at)) * rate / 1000000)
end
local org_tokens, org_at = string.match(held[1] or '', '^(%S+) (%S+)$')
local project_tokens, project_reserve, project_at = string.match(held[2] or '', '^(%S+) (%S+) (%S+)$')
local key_tokens, key_at = string.match(held[3] or '', '^(%S+) (%S+)$')
local route_tokens, route_at = string.match(held[4] or '', '^(%S+) (%S+)$')
local org = filled(org_tokens, org_at, org_rate)
local project = filled(project_tokens, project_at, project_rate)
local reserve = filled(project_reserve, project_at, guaranteed)
local key = filled(key_tokens, key_at, key_rate)
local route = filled(route_tokens, route_at, route_rate)
local refused = 0
if route_rate > 0 and route < 1 then
  refused = 4
elseif key_rate > 0 and key < 1 then
  refused = 3
elseif project_rate > 0 and project < 1 then
  refused = 2
elseif org < 1 and not (reserve >= 1 and org - 1 >= -org_rate) then
  refused = 1
end
if refused == 0 then
  org, project, reserve, key = org - 1, math.max(0, project - 1), math.max(0, reserve - 1), key - 1
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', org, now), 'PX', 3000)
  redis.call('SET', KEYS[2], string.format('%.17g %.17g %.0f', project, reserve, now), 'PX', 3000)
  if key_rate > 0 then
    redis.call('SET', KEYS[3], string.format('%.17g %.0f', key, now), 'PX', 3000)
  end
  if route_rate > 0 then
    route = route - 1
    redis.call('SET', KEYS[4], string.format('%.17g %.0f', route, now), 'PX', 3000)
  end
end
return {refused, math.max(0, math.floor(org)), math.max(0, math.floor(project)), math.max(0, math.floor(key)),
  math.max(0, math.floor(route))}
`;

/** The digest by which Redis knows the script once it has seen it. */
const BUCKET_SCRIPT_SHA = createHash('sha1').update(BUCKET_SCRIPT).digest('hex');

/** An answer of Redis that takes longer counts as none. */
const ANSWER_MS_MAX = 100;
const CONNECT_MS_MAX = 5_000;
/** How long Redis is left alone after it was lost. */
const RETRY_MS = 1_000;

/** The buckets of all instances, in Redis, over one connection that is given up when it breaks or an answer is late. */
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

async function runScript(client: RedisClient, request: CountedRequest): Promise<ScriptAnswer> {
  const { rates } = request;
  const options = {
    keys: Object.values(bucketKeys(request)),
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

/** In two halves: a busy process reads late what came in time. @throws when the answer takes longer than allowed. */
function inTime<T>(answer: Promise<T>, ms = ANSWER_MS_MAX): Promise<T> {
  const giveUp = async (): Promise<never> => {
    // One turn more: what has come by then is read first.
    await nextTurn();
    throw new Error(`no answer within ${ms} ms`);
  };
  return withinMs(ms / 2, answer, () => withinMs(ms / 2, answer, giveUp));
}

import { createHash } from 'node:crypto';

/** Microseconds by the clock of Redis, so that the clocks of instances do not matter. */
export const REDIS_TIME = "local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]";

/**
 * `takeToken` in Redis, where all instances share a bucket. One key; argument: tokens a second; answer: allowed (1 or 0),
 * tokens left. The key holds tokens and time, with all their digits; it goes once the bucket is full again. A refused
 * request writes nothing.
 */
export const BUCKET_SCRIPT = `
local rate = tonumber(ARGV[1])
${REDIS_TIME}
local tokens = rate
local held, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
if held then
  tokens = math.min(rate, tonumber(held) + math.max(0, now - tonumber(at)) * rate / 1000000)
end
if tokens < 1 then
  return {0, 0}
end
tokens = tokens - 1
redis.call('SET', KEYS[1], string.format('%.17g %.0f', tokens, now), 'PX', 2000)
return {1, math.floor(tokens)}
`;

/** The digest by which Redis knows the script once it has seen it. */
export const BUCKET_SCRIPT_SHA = createHash('sha1').update(BUCKET_SCRIPT).digest('hex');

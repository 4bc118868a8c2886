import { createHash } from 'node:crypto';

/** Microseconds by the clock of Redis, so that the clocks of instances do not matter. */
export const REDIS_TIME = "local time = redis.call('TIME')\nlocal now = time[1] * 1000000 + time[2]";

/**
 * `takeTokens` in Redis, where all instances share the buckets. Keys: those of the organization, the project, the API key
 * and the route; arguments: tokens a second of the first three, 0 where there is no limit, what the project has for sure, and
 * tokens a second of the route; answer: which limit was reached (1 to 4 in the order of the keys; 0: the request is allowed),
 * and the tokens that are left of each. A key holds tokens,
 * those of the guarantee (of a project) and time, with all their digits; it goes once the bucket is full again. A refused
 * request writes nothing.
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
export const BUCKET_SCRIPT_SHA = createHash('sha1').update(BUCKET_SCRIPT).digest('hex');

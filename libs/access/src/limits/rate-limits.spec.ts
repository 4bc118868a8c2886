import { describe, expect, it } from '@jest/globals';
import { limitHeaders, rateLimited, type RateLimitResult } from './rate-limits.js';

const result = (of: Partial<RateLimitResult> = {}): RateLimitResult => ({
  rates: { org: 100, project: null, key: null, guaranteed: 20 },
  refusedBy: null,
  remaining: { org: 41, project: 0, key: 0, route: 0 },
  resetSeconds: 1,
  ...of,
});
const ALL = { org: 100, project: 50, key: 5, guaranteed: 20 };

describe('limitHeaders', () => {
  it('name quota, window, what remains and when all is back, as structured fields', () => {
    expect(limitHeaders(result())).toEqual({
      'ratelimit-policy': '"org";q=100;w=1',
      ratelimit: '"org";r=41;t=1',
    });
  });

  it('name the limits of project and key where there are any', () => {
    expect(limitHeaders(result({ rates: ALL, remaining: { org: 41, project: 12, key: 3, route: 0 } }))).toEqual({
      'ratelimit-policy': '"org";q=100;w=1, "project";q=50;w=1, "key";q=5;w=1',
      ratelimit: '"org";r=41;t=1, "project";r=12;t=1, "key";r=3;t=1',
    });
  });

  it('name the limit of the route where it has one', () => {
    const rates = { ...ALL, project: null, key: null, route: 2 };
    expect(limitHeaders(result({ rates, remaining: { org: 41, project: 0, key: 0, route: 1 } }))).toEqual({
      'ratelimit-policy': '"org";q=100;w=1, "route";q=2;w=1',
      ratelimit: '"org";r=41;t=1, "route";r=1;t=1',
    });
  });

  it('show of a refusal the limit that was reached', () => {
    const refused = result({ rates: ALL, refusedBy: 'project', remaining: { org: 41, project: 0, key: 3, route: 0 } });
    expect(limitHeaders(refused)['ratelimit']).toBe('"project";r=0;t=1');
  });
});

describe('rateLimited', () => {
  it('says whose limit was reached, and when to come again', () => {
    const error = rateLimited('org', result());
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect(error.message).toBe('the organization has reached its limit of 100 requests a second');
    expect(rateLimited('project', result({ rates: ALL })).message).toMatch(/^the project has .* 50 requests a second$/);
    expect(rateLimited('key', result({ rates: { ...ALL, key: 1 } })).message).toMatch(
      /^the API key has .* 1 request a/,
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import { limitHeaders, rateLimited } from './limit-headers.js';

describe('limitHeaders', () => {
  it('names quota, window, what remains and when all is back, as structured fields', () => {
    expect(limitHeaders({ allowed: true, limit: 100, remaining: 41, resetSeconds: 1 })).toEqual({
      'ratelimit-policy': '"org";q=100;w=1',
      ratelimit: '"org";r=41;t=1',
    });
  });
});

describe('rateLimited', () => {
  it('says the limit, and when to come again', () => {
    const error = rateLimited({ allowed: false, limit: 100, remaining: 0, resetSeconds: 1 });
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    expect(error.message).toMatch(/limit of 100 requests a second/);
    expect(rateLimited({ allowed: false, limit: 1, remaining: 0, resetSeconds: 1 }).message).toMatch(/1 request a/);
  });
});

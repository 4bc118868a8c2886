import { readError } from '@spandrel/sdk/api';
import { describe, expect, it } from '@jest/globals';
import { retryDelayMs, shouldRetry, unreachable } from './api-error.js';

const answer = (status: number, headers: Record<string, string> = {}) =>
  readError(
    { status, headers: new Headers(headers) },
    JSON.stringify({ code: 'unavailable', detail: 'd', request_id: 'r' }),
  );

describe('retries', () => {
  it('repeat what may pass, three times', () => {
    expect([0, 1, 2, 3].map((failures) => shouldRetry(failures, unreachable()))).toEqual([true, true, true, false]);
    expect([429, 503, 400, 401, 404, 500].map((status) => shouldRetry(0, answer(status)))).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });

  it('wait as long as the service asks', () => {
    expect(retryDelayMs(0, answer(429, { 'Retry-After': '7' }))).toBe(7_000);
    expect(retryDelayMs(0, answer(429, { 'Retry-After': 'soon' }))).toBe(500);
    expect([0, 1, 2, 9].map((failures) => retryDelayMs(failures, unreachable()))).toEqual([500, 1_000, 2_000, 10_000]);
  });
});

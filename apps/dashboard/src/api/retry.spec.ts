import { describe, expect, it } from '@jest/globals';
import { errorOfAnswer, unreachable } from './api-error.js';
import { retryDelayMs, shouldRetry } from './retry.js';

const answer = (status: number, headers: Record<string, string> = {}) =>
  errorOfAnswer(status, { code: 'unavailable', detail: 'd', request_id: 'r' }, new Headers(headers));

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

describe('errorOfAnswer', () => {
  it('says what a problem says', () => {
    expect(answer(503)).toMatchObject({ status: 503, code: 'unavailable', detail: 'd', requestId: 'r' });
  });

  it('is readable where something in between answered', () => {
    expect(errorOfAnswer(502, null, new Headers({ 'x-request-id': 'q' }))).toMatchObject({
      code: 'unreadable_answer',
      detail: 'The server answered with status 502 and gave no reason.',
      requestId: 'q',
    });
  });
});

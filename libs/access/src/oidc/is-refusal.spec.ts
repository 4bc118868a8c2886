import { describe, expect, it } from '@jest/globals';
import { ResponseBodyError } from 'openid-client';
import { isRefusal, OtherPerson } from './is-refusal.js';

const answered = (status: number, error: string) =>
  new ResponseBodyError('answered with an error', {
    cause: { error },
    response: new Response(null, { status }),
  });

describe('what the identity provider answers to a refresh', () => {
  it.each([
    ['a grant that is no more', answered(400, 'invalid_grant'), true],
    ['a client that it does not know', answered(401, 'invalid_client'), true],
    ['somebody else', new OtherPerson(), true],
    ['too many requests', answered(429, 'rate_limit_exceeded'), false],
    ['too many requests, by the code of a refusal', answered(429, 'access_denied'), false],
    ['that it is not there for now', answered(400, 'temporarily_unavailable'), false],
    ['an error of its own', answered(500, 'server_error'), false],
    ['nothing', new TypeError('fetch failed'), false],
  ])('%s', (_what, error, expected) => {
    expect(isRefusal(error)).toBe(expected);
  });
});

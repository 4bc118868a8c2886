import { describe, expect, it } from '@jest/globals';
import { embeddedErrorOf, errorMessageOf, errorOfFrame } from './error-message.js';

describe('the message of an error', () => {
  it.each<[where: string, body: unknown, message: string | undefined]>([
    ['error.message', { error: { message: 'no', type: 'x' } }, 'no'],
    ['error as text', { error: 'no' }, 'no'],
    ['message beside an error of words', { statusCode: 400, message: 'no', error: 'Bad Request' }, 'no'],
    ['message', { object: 'error', message: 'no' }, 'no'],
    ['Message (AWS)', { Message: 'no' }, 'no'],
    ['msg', { code: 500, msg: 'no', success: false }, 'no'],
    ['detail', { detail: 'no' }, 'no'],
    ['detail that is an object', { detail: { error: 'no' } }, 'no'],
    [
      'detail as a list (FastAPI)',
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'stream_options'],
            msg: 'Extra inputs are not permitted',
            input: {},
          },
          { type: 'missing', loc: ['body', 'messages', 0], msg: 'Field required' },
        ],
      },
      'body.stream_options: Extra inputs are not permitted; body.messages.0: Field required',
    ],
    ['errors[].message (Cloudflare)', { success: false, errors: [{ code: 7003, message: 'no' }] }, 'no'],
    ['a list of bodies (Gemini)', [{ error: { code: 400, message: 'no' } }], 'no'],
    ['an error within an error', { error: { error: { message: 'no' } } }, 'no'],
    ['a bare text', 'no', 'no'],
    ['nothing', { error: { code: 7 } }, undefined],
    ['deeper than anyone looks', { error: { error: { error: { error: { error: { message: 'no' } } } } } }, undefined],
  ])('is found in %s', (_where, body, message) => {
    expect(errorMessageOf(body)).toBe(message);
  });

  it('names no more of a long list than is of use', () => {
    const errors = Array.from({ length: 1_000 }, (_, at) => ({ message: `no ${at}` }));
    expect(errorMessageOf({ errors })).toMatch(/^no 0; .*no 9$/);
  });
});

describe('an error inside an answer with status 200', () => {
  it.each<[what: string, body: unknown, message: string | null]>([
    ['error', { error: { message: 'no' } }, 'no'],
    ['error without a message', { error: { code: 7 } }, '{"code":7}'],
    ['no error', { error: null, errors: [], base_resp: { status_code: 0, status_msg: 'success' } }, null],
    ['object: error (vLLM)', { object: 'error', message: 'no', code: 400 }, 'no'],
    [
      'base_resp (MiniMax)',
      { choices: null, base_resp: { status_code: 1004, status_msg: 'login fail' } },
      'login fail',
    ],
    ['base_resp without a message', { base_resp: { status_code: 1004 } }, 'status_code 1004'],
    ['success: false', { success: false, msg: 'no' }, 'no'],
    ['error_code (Baidu)', { error_code: 110, error_msg: 'Access token invalid' }, 'Access token invalid'],
    ['errors', { errors: [{ message: 'no' }] }, 'no'],
    ['an answer', { object: 'chat.completion', choices: [] }, null],
    ['no object', 'x', null],
  ])('%s', (_what, body, message) => {
    expect(embeddedErrorOf(body)).toBe(message);
  });

  it('of a frame is what its data or its name say', () => {
    expect(errorOfFrame({ event: 'error', data: 'out of memory' }, undefined)).toBe('out of memory');
    expect(errorOfFrame({ event: 'error', data: '{"message":"no"}' }, { message: 'no' })).toBe('no');
    expect(errorOfFrame({ event: 'error', data: '' }, undefined)).toBe('error');
    expect(errorOfFrame({ data: 'not json' }, undefined)).toBeNull();
    expect(errorOfFrame({ data: '{"message":"hello"}' }, { message: 'hello' })).toBeNull();
  });
});

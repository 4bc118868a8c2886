import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { DomainError } from '@spandrel/kernel';
import { registerJsonBody } from './request-bodies.js';

let app: FastifyInstance;
beforeAll(() => {
  app = fastify({ bodyLimit: 20_000_000 });
  registerJsonBody(app, 100_000);
  app.setErrorHandler((error, _request, reply) => {
    const { code, message } = error as DomainError;
    void reply.status(error instanceof DomainError ? 400 : 500).send({ code, message });
  });
  app.post('/', (request) => ({ body: request.body }));
});
afterAll(() => app.close());

const post = async (payload: string | Buffer) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload,
  });
  return JSON.parse(answer.body) as { body?: unknown; code?: string; message?: string };
};

/** What makes a body long without a meaning. */
const BLANKS = ' '.repeat(100_000);

describe.each([
  ['a short body', ''],
  ['a long one', BLANKS],
])('%s', (_what, blanks) => {
  it('is read exactly', async () => {
    expect((await post(`{"a":[1,"ü\\u0000"],${blanks}"__proto__":2}`)).body).toEqual(
      JSON.parse('{"a":[1,"ü\\u0000"],"__proto__":2}'),
    );
  });

  it('may have so many values and no more', async () => {
    expect((await post(`[${'0,'.repeat(99_998)}${blanks}0]`)).body).toHaveLength(99_999);
    const { code, message } = await post(`[${'0,'.repeat(99_999)}${blanks}0]`);
    expect(code).toBe('payload_too_large');
    expect(message).toBe(
      'the body has more than 100000 values (limits.body_values); send it in several requests, or large lists of numbers as texts',
    );
  });

  it.each([
    ['no JSON', Buffer.from(`{"a":1,${blanks}}`), /expected a member name/],
    [
      'no UTF-8',
      Buffer.concat([Buffer.from(`"${blanks}`), Buffer.from([0xff, 0x22])]),
      /byte \d+ belongs to no character/,
    ],
    ['too deep', Buffer.from(`${'['.repeat(300)}${blanks}${']'.repeat(300)}`), /200 levels/],
    ['too great a number', Buffer.from(`[1e400${blanks}]`), /out of range/],
  ])('is refused when it is %s', async (_why, body, message) => {
    const answer = await post(body);
    expect(answer.code).toBe('malformed_json');
    expect(answer.message).toMatch(message);
  });
});

it('names the byte that belongs to no character, wherever it stands', async () => {
  for (const before of ['', 'é'.repeat(32_766), `a${'é'.repeat(32_766)}`, '潮'.repeat(100_000), 'x'.repeat(200_000)]) {
    const text = Buffer.from(`"${before}`);
    const { message } = await post(Buffer.concat([text, Buffer.from([0xc3, 0x22])]));
    expect(message).toBe(`the body is not valid UTF-8: byte ${text.length + 1} belongs to no character`);
  }
});

it('lets others have their turn while a body of many values is parsed', async () => {
  let turns = 0;
  let going = true;
  const others = (): void => {
    turns++;
    if (going) setImmediate(others);
  };
  setImmediate(others);
  await post(`[${Array.from({ length: 49_000 }, (_, index) => `{"k${index}":0}`).join(',')}]`);
  going = false;
  const during = turns;
  turns = 0;
  going = true;
  setImmediate(others);
  await post('[]');
  going = false;
  expect(during).toBeGreaterThan(turns + 1);
});

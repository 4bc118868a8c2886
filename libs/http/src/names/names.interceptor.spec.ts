import { Body, Controller, Delete, Get, HttpCode, Module, Param, Patch, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gathered, gatheringMembers, limitSchema, repeatable } from '@spandrel/contract';
import { z } from 'zod';
import { moduleApp } from '../../../../test/support/module-app.js';
import { Operation } from '../operation.js';

const described = (id: string) =>
  Operation({ id, summary: id, access: 'open', answer: z.object({ done: z.boolean() }) });

/** What the handlers were called with. */
let calls: unknown[] = [];
const done = (...given: unknown[]): { done: boolean } => {
  calls.push(given);
  return { done: true };
};

@Controller('api/things')
class ThingsController {
  @Patch(':id')
  @described('change')
  change(@Body({ schema: z.object({ name: z.string().optional(), count: z.number().optional() }) }) body: unknown) {
    return done(body);
  }

  @Get()
  @described('list')
  list(
    @Query({
      schema: z.object({
        model: z.string().optional(),
        status: z.enum(['on', 'off']).optional(),
        tag: repeatable(z.string()).optional(),
        limit: limitSchema(),
      }),
    })
    query: unknown,
  ) {
    return done(query);
  }

  @Get('found')
  @described('find')
  find(
    @Query({
      schema: gatheringMembers(
        z.object({ text: gathered('text', z.string().min(1)), number: gathered('number', z.coerce.number()) }),
      ),
    })
    query: unknown,
  ) {
    return done(query);
  }

  @Delete()
  @HttpCode(200)
  @described('deleteAll')
  deleteAll() {
    return done();
  }

  @Post()
  @described('create')
  create(@Body({ schema: z.object({ name: z.string().optional(), count: z.number().optional() }) }) body: unknown) {
    return done(body);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @described('cancel')
  cancel(@Param('id') id: string) {
    return done(id);
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await moduleApp(ThingsModule);
});
afterAll(() => app.close());
beforeEach(() => {
  calls = [];
});

async function ask(method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: string) {
  const answer = await app.inject({
    method,
    url,
    headers: { host: 'localhost', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { payload: body }),
  });
  return {
    status: answer.statusCode,
    ignored: answer.headers['x-spandrel-ignored'],
    body: answer.body === '' ? undefined : answer.json(),
  };
}

describe('an unknown query parameter', () => {
  it.each([
    ['/api/things?modle=gpt', 'modle is not a query parameter of this route; did you mean "model"?'],
    ['/api/things?foo=1', 'foo is not a query parameter of this route, which takes model, status, tag, limit'],
    ['/api/things?tag[]=1', 'tag[] is not a query parameter of this route; did you mean "tag"?'],
    [
      '/api/things?%00=1',
      String.raw`"\u0000" is not a query parameter of this route, which takes model, status, tag, limit`,
    ],
    [
      '/api/things?modle=gpt&limit=0',
      'modle is not a query parameter of this route; did you mean "model"?, and 1 more fault (see errors)',
    ],
    ['/metrics?foo=1', 'foo is not a query parameter of this route, which takes none'],
    ['/api/health?verbose', 'verbose is not a query parameter of this route, which takes none'],
    ['/api/openapi.json?v=3', 'v is not a query parameter of this route, which takes none'],
    ['/docs?x=1', 'x is not a query parameter of this route, which takes none'],
    ['/docs/swagger-ui.css?x=1', 'x is not a query parameter of this route, which takes none'],
  ])('in GET %s is refused with a name that is known', async (path, detail) => {
    const { status, body } = await ask('GET', path);
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 400,
      code: 'validation_failed',
      detail,
    });
    expect(body.errors[0]).toEqual({ path: expect.any(String), message: expect.stringContaining('query parameter') });
    expect((await ask('HEAD', path)).status).toBe(400);
    expect(calls).toEqual([]);
  });

  it('deletes nothing', async () => {
    const { status, body } = await ask('DELETE', '/api/things?session_id=only-this');
    expect([status, body.detail]).toEqual([
      400,
      'session_id is not a query parameter of this route, which takes none; nothing was deleted',
    ]);
    expect(calls).toEqual([]);
    expect((await ask('DELETE', '/api/things')).status).toBe(200);
  });

  it('is no parameter that is known, and says when one came twice', async () => {
    expect((await ask('GET', '/api/things?model=a&tag=a&tag=b&limit=5&')).status).toBe(200);
    expect(calls).toEqual([[{ model: 'a', tag: ['a', 'b'], limit: 5 }]]);
    for (const name of ['model', 'status', 'limit']) {
      const { body } = await ask('GET', `/api/things?${name}=1&${name}=2`);
      expect(body.detail).toBe(`${name} must be given only once`);
    }
    const many = 'tag=a&'.repeat(65);
    expect((await ask('GET', `/api/things?${many}`)).body.detail).toBe('tag must have at most 64 items');
  });

  it('costs little when there are many', async () => {
    const { status, body } = await ask(
      'GET',
      `/api/things?${Array.from({ length: 3_000 }, (_, n) => `k${n}`).join('&')}`,
    );
    expect([status, body.errors.length]).toEqual([400, 100]);
    expect(body.detail).toMatch(/^k0 is not a query parameter .*, and more than 99 faults \(see errors\)$/);
  });
});

describe('parameters that are gathered by what their names begin with', () => {
  it('are an object by the rest of their names', async () => {
    expect((await ask('GET', '/api/things/found?text.a=1&text.b.c=%20&number.n=2&text.constructor=x')).status).toBe(
      200,
    );
    expect((await ask('GET', '/api/things/found')).status).toBe(200);
    expect(calls).toEqual([[{ text: { a: '1', 'b.c': ' ', constructor: 'x' }, number: { n: 2 } }], [{}]]);
  });

  it.each([
    ['text=1', 'text is not a query parameter of this route; did you mean "text.KEY"?'],
    ['text.=1', 'text. is not a query parameter of this route; did you mean "text.KEY"?'],
    ['text.__proto__=1', 'text.__proto__ is not a query parameter of this route, which takes text.KEY, number.KEY'],
    ['txt.a=1', 'txt.a is not a query parameter of this route, which takes text.KEY, number.KEY'],
    ['text.a=1&text.a=2', 'text.a must be given only once'],
    ['text.a=', 'text.a must not be empty'],
  ])('%s are refused', async (query, detail) => {
    const { status, body } = await ask('GET', `/api/things/found?${query}`);
    expect([status, body.detail]).toEqual([400, detail]);
    expect(calls).toEqual([]);
  });
});

describe('a member of a body that is ignored', () => {
  it('is named in the answer, and the request is served', async () => {
    const { status, ignored } = await ask('POST', '/api/things', '{"nam":"x","foo":1}');
    expect([status, ignored]).toEqual([201, 'nam (name?), foo']);
    expect(calls).toEqual([[{}]]);
  });

  it('is named by a refusal too', async () => {
    const { status, ignored, body } = await ask('POST', '/api/things', '{"cuont":1,"name":7}');
    expect([status, ignored, body.detail]).toEqual([400, 'cuont (count?)', 'name must be a string, not a number']);
  });

  it('is named where the route reads no body at all', async () => {
    const { status, ignored } = await ask('POST', '/api/things/t/cancel', '{"reason":"x"}');
    expect([status, ignored]).toEqual([200, 'reason']);
  });

  it('is not there when all are known', async () => {
    for (const body of ['{"name":"x","count":1}', '{}', undefined]) {
      expect(await ask('POST', '/api/things', body)).toMatchObject({ status: 201, ignored: undefined });
    }
  });

  it('of a delete is refused, so that nothing is deleted', async () => {
    for (const [body, detail] of [
      ['{"session_id":"only-this"}', 'session_id is not taken: a delete has no body; nothing was deleted'],
      ['["a"]', 'the body is not taken: a delete has no body; nothing was deleted'],
      ['"a"', 'the body is not taken: a delete has no body; nothing was deleted'],
      ['7', 'the body is not taken: a delete has no body; nothing was deleted'],
    ] as const) {
      const answer = await ask('DELETE', '/api/things', body);
      expect([answer.status, answer.body.detail]).toEqual([400, detail]);
    }
    expect(calls).toEqual([]);
    for (const body of ['{}', '[]', 'null', '', undefined]) {
      expect([body, (await ask('DELETE', '/api/things', body)).status]).toEqual([body, 200]);
    }
  });
});

describe('a change', () => {
  it('of nothing that is known is refused', async () => {
    const { status, ignored, body } = await ask('PATCH', '/api/things/t', '{"nam":"x","foo":1}');
    expect([status, ignored, body.detail]).toEqual([
      400,
      'nam (name?), foo',
      'nam is not a member of this change; did you mean "name"?; nothing was changed, and 1 more fault (see errors)',
    ]);
    expect(body.errors[1]).toEqual({
      path: 'foo',
      message: 'is not a member of this change, which takes name, count; nothing was changed',
    });
    expect(calls).toEqual([]);
  });

  it('with a member that is known is made, and so is one of nothing', async () => {
    const { status, ignored } = await ask('PATCH', '/api/things/t', '{"name":"x","foo":1}');
    expect([status, ignored]).toEqual([200, 'foo']);
    expect((await ask('PATCH', '/api/things/t', '{}')).status).toBe(200);
    expect(calls).toEqual([[{ name: 'x' }], [{}]]);
  });
});

import { Body, Controller, Get, HttpCode, Module, Param, Post, Query, Req } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DomainError } from '@spandrel/kernel';
import { moduleApp } from '../../../../test/support/module-app.js';
import { type AdmittedRequest, type Caller, type Gatekeeper, GATEKEEPER } from '../access/caller.js';
import { ClientGone } from '../request-decorators.js';
import { Operation } from '../operation.js';
import { InProcessApi, type CallerApi } from './in-process-api.js';

const described = (id: string, access: 'read' | 'write' | 'caller') =>
  Operation({ id, summary: id, access, answer: z.unknown() });

interface HeadersOfAsked {
  headers: Record<string, string>;
}

/** Asks this very server over a connection, and gives the status. */
let fromInside: (headers: Record<string, string>) => Promise<number>;

/** Ends when the client of the test's call has gone. */
let gone: Promise<unknown>;

@Controller('api/things')
class ThingsController {
  @Get(':id')
  @described('getThing', 'read')
  get(
    @Param('id') id: string,
    @Query({ schema: z.object({ tag: z.array(z.string()).optional() }) }) query: unknown,
    @Req() request: FastifyRequest & AdmittedRequest,
  ) {
    const { caller, scope } = request;
    return {
      ...{ id, query, project: scope?.projectId, caller: caller?.id },
      ...{ requestId: request.id, address: request.raw.socket.remoteAddress },
      big: JSON.rawJSON('12345678901234567890'),
    };
  }

  @Post()
  @HttpCode(200)
  @described('postThing', 'write')
  post(@Body({ schema: z.object({ name: z.string() }) }) body: unknown) {
    return body;
  }

  @Post('inside')
  @HttpCode(200)
  @described('askFromInside', 'write')
  askFromInside(@Body({ schema: z.object({ headers: z.record(z.string(), z.string()) }) }) body: HeadersOfAsked) {
    return fromInside(body.headers);
  }

  @Get(':id/later')
  @described('waitForThing', 'read')
  async wait(@ClientGone() signal: AbortSignal) {
    gone = new Promise((done) => signal.addEventListener('abort', done));
    await gone;
    return {};
  }
}

const counted: string[] = [];
const callers: Record<string, Caller> = Object.fromEntries(
  (['read', 'write'] as const).map((scope) => [
    scope,
    {
      ...{ kind: 'api_key', id: scope, expiresAt: null, permissions: [scope] },
      scope: { orgId: 'o', projectId: `project of ${scope}` },
    } as const,
  ]),
);
const gatekeeper: Gatekeeper = {
  authenticate: ({ text }) => {
    if (!callers[text]) throw new DomainError('unauthenticated', 'it is not valid');
    return callers[text];
  },
  admit: ({ id }) => void counted.push(id),
};

@Module({
  controllers: [ThingsController],
  providers: [{ provide: GATEKEEPER, useValue: gatekeeper }],
  exports: [GATEKEEPER],
})
class ThingsModule {}

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await moduleApp(ThingsModule, { SPANDREL_MODE: 'cloud' });
});
afterAll(() => app.close());

/** The API for a request that was let in. */
const apiOf = (who: string, signal = new AbortController().signal): CallerApi =>
  app.get(InProcessApi).of(
    {
      ...{ id: `request of ${who}`.replaceAll(' ', '-'), caller: callers[who], scope: callers[who]!.scope },
      raw: { headers: {}, socket: { remoteAddress: '203.0.113.7' } },
    } as unknown as FastifyRequest,
    signal,
  );

describe('the API inside its own process', () => {
  it('is called as the caller, from its address, under the id of its request, and not counted again', async () => {
    counted.length = 0;
    expect(
      await apiOf('read').call({
        operation: 'getThing',
        path: { id: 'a/b?c' },
        query: { tag: ['x', 'y'], none: undefined },
      }),
    ).toEqual({
      ...{ id: 'a/b?c', query: { tag: ['x', 'y'] }, project: 'project of read', caller: 'read' },
      ...{ requestId: 'request-of-read', address: '203.0.113.7' },
      big: JSON.rawJSON('12345678901234567890'),
    });
    expect(await apiOf('write').call({ operation: 'postThing', body: { name: 'n' } })).toEqual({ name: 'n' });
    expect(counted).toEqual([]);
  });

  it('lets nobody do more than over HTTP', async () => {
    expect([apiOf('read').may('getThing'), apiOf('read').may('postThing'), apiOf('read').may('nothing')]).toEqual([
      ...[true, false, false],
    ]);
    const refused = apiOf('read').call({ operation: 'postThing', body: { name: 'n' } });
    await expect(refused).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(apiOf('read').call({ operation: 'nothing' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('checks what it is given, and throws what it answers', async () => {
    await expect(apiOf('write').call({ operation: 'postThing', body: { name: 7 } })).rejects.toMatchObject({
      ...{ code: 'validation_failed', message: 'name must be a string, not a number' },
      errors: [{ path: 'name', message: 'must be a string, not a number' }],
    });
    await expect(
      apiOf('read').call({ operation: 'getThing', path: { id: 'x' }, query: { tga: '1' } }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('did you mean "tag"?'),
    });
  });

  it.each(['..', '.', ''])('finds nothing by the id "%s", which would be the path of something else', async (id) => {
    await expect(apiOf('read').call({ operation: 'waitForThing', path: { id } })).rejects.toMatchObject({
      ...{ code: 'not_found', message: `there is nothing with the id "${id}"` },
    });
  });

  it('is no way in for what comes over the wire, also while a call is made', async () => {
    await app.listen(0, '127.0.0.1');
    const address = await app.getUrl();
    fromInside = async (headers) => (await fetch(`${address}/api/things`, { method: 'POST', headers })).status;
    const call = (headers: Record<string, string>) =>
      apiOf('write').call({ operation: 'askFromInside', body: { headers } });
    expect([await call({}), await call({ authorization: 'Bearer read' })]).toEqual([401, 403]);
  });

  it('is given up with the client', async () => {
    const client = new AbortController();
    const call = apiOf('read', client.signal).call({ operation: 'waitForThing', path: { id: 'x' } });
    while (!gone) await new Promise((done) => setImmediate(done));
    client.abort(new Error('gone'));
    await expect(call).rejects.toThrow('gone');
    await gone;
  });
});

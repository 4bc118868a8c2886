import {
  Body,
  Controller,
  createParamDecorator,
  Get,
  Header,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { moduleApp } from '../../../test/support/module-app.js';
import { DomainError, NotFound } from '@spandrel/kernel';
import { Operation } from './operation.js';
import { PathId } from './pipes.js';

const described = (id: string) => Operation({ id, summary: id, access: 'open', answer: z.unknown() });

const Refusing = createParamDecorator(() => {
  throw new DomainError('insufficient_scope', 'refused by the decorator');
});
const Method = createParamDecorator((suffix: string, context) => {
  const { method } = context.switchToHttp().getRequest<FastifyRequest>();
  return `${method}${suffix} of ${context.getClass().name}.${context.getHandler().name}`;
});
const named = z.object({ name: z.string() });

class Idle {
  intercept(_context: unknown, next: { handle(): unknown }) {
    return next.handle();
  }
}

@Controller('api/things')
class ThingsController {
  @Post(':id')
  @described('create')
  create(
    @Param('id', new PathId(() => new NotFound('trace_not_found', 'no such thing'))) id: string,
    @Body({ schema: named }) body: unknown,
    @Query({ schema: z.object({ tag: z.string().default('none') }) }) query: unknown,
    @Method('!') method: string,
  ) {
    return { id, body, query, method };
  }

  @Post(':id/later')
  @HttpCode(202)
  @described('later')
  async later(@Req() { id }: FastifyRequest) {
    return { isId: typeof id === 'string' };
  }

  @Post(':id/fails')
  @described('fails')
  async fails(@Param('id') id: string) {
    await Promise.resolve();
    throw id === 'known' ? new DomainError('connection_in_use', 'it is there') : new Error('secret');
  }

  @Post(':id/refused')
  @described('refused')
  refused(@Body({ schema: named }) _body: unknown, @Refusing() _refusing: unknown) {
    return {};
  }

  @Post(':id/named')
  @described('named')
  named(@Param('id', new PathId(() => new NotFound('trace_not_found', 'no such thing'))) id: string) {
    return { id };
  }

  @Get('nothing')
  @described('nothing')
  nothing() {}

  @Get('null')
  @described('null')
  null() {
    return null;
  }

  @Get('file')
  @described('file')
  file() {
    return new StreamableFile(Buffer.from('a,b'), { type: 'text/csv' });
  }

  @Get('headed')
  @Header('x-more', 'yes')
  @described('headed')
  headed() {
    return {};
  }

  @Get('replied')
  @described('replied')
  replied(@Res() reply: FastifyReply) {
    void reply.send({ by: 'hand' });
  }

  @Get('intercepted')
  @UseInterceptors(Idle)
  @described('intercepted')
  intercepted() {
    return {};
  }
}

@Module({ controllers: [ThingsController] })
class ThingsModule {}

describe('handlers of controllers', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await moduleApp(ThingsModule);
  });
  afterAll(() => app.close());

  async function ask(method: 'GET' | 'HEAD' | 'POST', url: string, payload?: object) {
    const answer = await app.inject({
      method,
      url,
      headers: { host: 'localhost' },
      ...(payload !== undefined && { payload }),
    });
    return {
      status: answer.statusCode,
      type: answer.headers['content-type'],
      body: answer.body,
      headers: answer.headers,
    };
  }

  it('get what their decorators name, checked', async () => {
    const { status, body } = await ask('POST', '/api/things/t', { name: 'n', more: 1 });
    expect([status, JSON.parse(body)]).toEqual([
      201,
      { id: 't', body: { name: 'n' }, query: { tag: 'none' }, method: 'POST! of ThingsController.create' },
    ]);
    expect(await ask('POST', '/api/things/t/named')).toMatchObject({ status: 201, body: '{"id":"t"}' });
    expect(await ask('POST', '/api/things/t/later')).toMatchObject({ status: 202, body: '{"isId":true}' });
  });

  it.each([
    ['a fault of the body', '/api/things/t', {}, 400, 'validation_failed'],
    ['a body before the second pipe of an id', '/api/things/%00', {}, 400, 'validation_failed'],
    ['an id that no column holds', '/api/things/%00', { name: 'n' }, 404, 'trace_not_found'],
    ['an id of no characters', '/api/things//later', {}, 404, 'not_found'],
    ['a decorator before any pipe', '/api/things/t/refused', {}, 403, 'insufficient_scope'],
    ['an error that was foreseen', '/api/things/known/fails', {}, 409, 'connection_in_use'],
    ['any other error', '/api/things/other/fails', {}, 500, 'internal'],
  ])('answer %s', async (_what, url, payload, status, code) => {
    const answer = await ask('POST', url, payload);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([status, code]);
    expect(answer.type).toMatch(/^application\/problem\+json/);
    expect(answer.body).not.toContain('secret');
  });

  it.each([
    ['nothing', 200, undefined, ''],
    ['null', 200, 'application/json; charset=utf-8', 'null'],
    ['file', 200, 'text/csv', 'a,b'],
    ['headed', 200, 'application/json; charset=utf-8', '{}'],
    ['replied', 200, 'application/json; charset=utf-8', '{"by":"hand"}'],
    ['intercepted', 200, 'application/json; charset=utf-8', '{}'],
  ])('answer %s', async (path, status, type, body) => {
    expect(await ask('GET', `/api/things/${path}`)).toMatchObject({ status, type, body });
    expect(await ask('HEAD', `/api/things/${path}`)).toMatchObject({ status, body: '' });
  });
});

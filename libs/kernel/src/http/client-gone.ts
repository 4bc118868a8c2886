import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '../errors/domain-error.js';
import type { FastifyReply } from 'fastify';

/** A signal that fires when the client leaves before its answer: a long read for it is then given up. */
export const ClientGone = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new DomainError('request_timeout', 'the client has gone'));
  });
  return gone.signal;
});

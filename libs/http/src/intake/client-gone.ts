import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@spandrel/kernel';
import type { FastifyReply } from 'fastify';

/** A signal that fires when the client leaves before its answer: what is done for it is then given up. */
export const ClientGone = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal =>
  goneSignal(context.switchToHttp().getResponse()),
);

/** The signal of {@link ClientGone} for an answer. */
export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new DomainError('request_timeout', 'the client has gone'));
  });
  return gone.signal;
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError, LOCAL_SCOPE, type Scope } from '@spandrel/kernel';
import type { FastifyReply } from 'fastify';
import type { AdmittedRequest } from './access/caller.js';

/** The scope of the request: what its credential is for, the constant one in local mode. Its reads end when the client leaves. */
export const CurrentScope = createParamDecorator((_data: unknown, context: ExecutionContext): Scope => {
  return { ...scopeOf(context), signal: goneSignal(context.switchToHttp().getResponse()) };
});

/** {@link CurrentScope}, for decorators that look at more of a request. @throws DomainError `insufficient_scope`. */
export function scopeOf(context: ExecutionContext): Scope {
  const { scope, caller, anonymous } = context.switchToHttp().getRequest<AdmittedRequest>();
  if (anonymous || (caller && !scope))
    throw new DomainError('insufficient_scope', 'this credential belongs to no project; use an API key of a project');
  return scope ?? LOCAL_SCOPE;
}

export const ClientGone = createParamDecorator((_data: unknown, context: ExecutionContext): AbortSignal =>
  goneSignal(context.switchToHttp().getResponse()),
);

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new DomainError('request_timeout', 'the client has gone'));
  });
  return gone.signal;
}

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError, LOCAL_SCOPE, type Scope } from '@spandrel/kernel';
import type { AdmittedRequest } from './access/caller.js';

/** The scope of the request: what its credential is for, the constant one in local mode. */
export const CurrentScope = createParamDecorator((_data: unknown, context: ExecutionContext): Scope => {
  const { scope, caller, anonymous } = context.switchToHttp().getRequest<AdmittedRequest>();
  if (anonymous || (caller && !scope))
    throw new DomainError('insufficient_scope', 'this credential belongs to no project; use an API key of a project');
  return scope ?? LOCAL_SCOPE;
});

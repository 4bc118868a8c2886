import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { LOCAL_SCOPE, type Scope } from '../scope.js';

/** A request that authentication has given a scope. */
export interface ScopedRequest {
  scope?: Scope;
}

/** The scope of the request: what authentication found, the constant one in local mode. */
export const CurrentScope = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Scope =>
    context.switchToHttp().getRequest<ScopedRequest>().scope ?? LOCAL_SCOPE,
);

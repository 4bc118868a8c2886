import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AdmittedRequest } from './access/caller.js';
import { goneSignal } from './intake/client-gone.js';

/** The client and organization for which a request reads. */
export interface Reader {
  /** Fires when the client leaves before its answer. */
  signal: AbortSignal;
  /** The organization whose share of the places for long reads it takes; none in local mode and for the operator. */
  orgId: string | undefined;
}

/** The client and organization for which the request reads, in the form that long reads take. */
export const CurrentReader = createParamDecorator((_data: unknown, context: ExecutionContext): Reader => {
  const http = context.switchToHttp();
  return { signal: goneSignal(http.getResponse()), orgId: http.getRequest<AdmittedRequest>().scope?.orgId };
});

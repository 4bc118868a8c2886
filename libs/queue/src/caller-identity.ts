import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '@spandrel/kernel';

/**
 * Who makes the request, as `claimed_by` has it when the body names nobody (docs/spec/queue.md#who-claims): the id of
 * the API key or the person, or the `sub` of the JWT. Local mode knows no logins: everybody is `local`.
 */
export const CallerIdentity = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string =>
    context.switchToHttp().getRequest<{ caller?: Caller }>().caller?.id ?? 'local',
);

import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { DomainError, type Caller } from '@spandrel/kernel';

/** The person or program that administers organizations, projects and keys. */
export interface Actor {
  /** The organization that the actor administers; `null` for the operator of the service, who administers all. */
  readonly orgId: string | null;
  /** The project of the actor's credential; `null` for the operator. */
  readonly projectId: string | null;
}

/** The operator at the command line. */
export const CLI_ACTOR: Actor = { orgId: null, projectId: null };

/** @throws DomainError `insufficient_scope` for everyone but the operator. */
export function requireOperator(actor: Actor, what: string): void {
  if (actor.orgId !== null)
    throw new DomainError('insufficient_scope', `only the operator of the service may ${what}: use the admin token`);
}

/** Who makes the request. Its route has let in nobody but administrators. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
  return actorOf(caller!);
});

/** What a caller administers. @throws DomainError `insufficient_scope` for one that belongs to no organization. */
function actorOf({ kind, scope }: Caller): Actor {
  if (kind === 'admin_token') return { orgId: null, projectId: null };
  if (!scope)
    throw new DomainError('insufficient_scope', 'this credential belongs to no organization that it could administer');
  return scope;
}

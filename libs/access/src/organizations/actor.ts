import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { holds, PERMISSIONS, type Permission, type Role } from '@spandrel/contract';
import { permissionsOfRole, type Caller } from '@spandrel/http';
import { DomainError } from '@spandrel/kernel';

/** The person or program that administers organizations, projects and keys. */
export interface Actor {
  /** The organization that the actor administers; `null` for the operator of the service, who administers all. */
  readonly orgId: string | null;
  /** The project of the actor's credential; `null` for the operator. */
  readonly projectId: string | null;
  /** What the actor may do, and so may give to others; everything for the operator. */
  readonly permissions: readonly Permission[];
  /** Who the request let in; `null` at the command line. */
  readonly caller: Caller | null;
  /** Whether the actor may make and remove owners: the operator, and owners themselves. */
  readonly isOwner: boolean;
}

/** The operator, at the command line too. */
export const CLI_ACTOR: Actor = { orgId: null, projectId: null, permissions: PERMISSIONS, isOwner: true, caller: null };

/** @throws DomainError `insufficient_scope` for everyone but the operator. */
export function requireOperator(actor: Actor, what: string): void {
  if (actor.orgId !== null)
    throw new DomainError('insufficient_scope', `only the operator of the service may ${what}: use the admin token`);
}

/** Nobody gives what they do not have (docs/spec/access.md#who-administers). @throws DomainError `insufficient_scope` */
export function requireAll(actor: Actor, permissions: readonly Permission[]): void {
  const missing = permissions.filter((permission) => !holds(actor.permissions, permission));
  if (missing.length > 0) {
    const detail = `nobody gives what they do not have: this credential has no scope ${missing.join(', ')}`;
    throw new DomainError('insufficient_scope', detail);
  }
}

/** Whether an actor may give a role, and take it away. @throws DomainError `insufficient_scope` */
export function requireRole(actor: Actor, role: Role): void {
  if (role === 'owner' && !actor.isOwner)
    throw new DomainError('insufficient_scope', 'only owners and the operator of the service make and remove owners');
  requireAll(actor, permissionsOfRole(role));
}

/** Who makes the request, an administrator. @throws DomainError `insufficient_scope` without an organization. */
export const CurrentActor = createParamDecorator((_data: unknown, context: ExecutionContext): Actor => {
  const { caller } = context.switchToHttp().getRequest<{ caller?: Caller }>();
  const { kind, scope, permissions, role } = caller!;
  if (kind === 'admin_token') return CLI_ACTOR;
  if (!scope)
    throw new DomainError('insufficient_scope', 'this credential belongs to no organization that it could administer');
  return { ...scope, permissions, isOwner: role === 'owner', caller: caller! };
});

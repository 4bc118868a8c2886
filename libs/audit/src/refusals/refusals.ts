import { Injectable } from '@nestjs/common';
import { currentContext, type ActingParty } from '@spandrel/kernel';
import { RefusalBook, type CountedRefusals, type RefusalKind } from './refusal-book.js';

const BOUNDS = { burst: 60, everyMs: 60_000, kindsMax: 1_000 };

/** Somebody whom the identity provider confirmed and who may not sign in. */
export interface RefusedSignIn {
  actor: ActingParty;
  targetId: string;
  targetName: string | null;
  reason: string;
  details: Readonly<Record<string, string>>;
}

/**
 * What was refused and is not in the audit log yet (docs/spec/audit.md#refusals): counted here, and written behind the
 * answers, so that nobody can hold up or fill the service by being refused.
 */
@Injectable()
export class Refusals {
  private readonly book = new RefusalBook(BOUNDS);

  note(kind: RefusalKind, requestId: string): void {
    this.book.note(kind, requestId, Date.now());
  }

  /** Notes who was not signed in by the request that runs now. */
  noteSignIn({ actor, targetId, targetName, reason, details }: RefusedSignIn): void {
    const { address, requestId } = currentContext();
    const kind: RefusalKind = {
      ...{ action: 'session.refused', orgId: null, projectId: null },
      ...{ actor: actor.name, actorName: actor.label, address },
      ...{ target: targetId, targetName, code: reason, details: { ...details, reason } },
    };
    this.book.note(kind, requestId ?? '', Date.now());
  }

  /** What is to be written now, as far as the bounds allow. */
  take(): CountedRefusals[] {
    return this.book.take(Date.now());
  }

  takeRest(): CountedRefusals[] {
    return [...this.take(), ...this.book.takeRest()];
  }
}

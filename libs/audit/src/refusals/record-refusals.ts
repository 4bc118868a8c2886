import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { formatTimestamp } from '@spandrel/contract';
import { actingParty, REFUSAL_CODES, RefusedRequests, type RefusedRequest } from '@spandrel/http';
import { LOGGER, METRICS, PeriodicTask, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { AuditTrail, type AuditedAct } from '../trail/audit-trail.js';
import { type CountedRefusals, type RefusalKind, Refusals } from './refusal-book.js';

const EVERY_MS = 10_000;

/** How the log names what several did. */
const SEVERAL = 'several';

/**
 * Counts requests that were refused for who sent them, and writes all {@link Refusals}
 * (docs/spec/audit.md#refusals).
 */
@Injectable()
export class RecordRefusals implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: PeriodicTask;
  /** What was taken from the book and could not be written. */
  private waiting: CountedRefusals[] = [];
  private readonly counted: Counter<'code'>;

  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    private readonly requests: RefusedRequests,
    private readonly refusals: Refusals,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    this.counted = new Counter({
      name: 'spandrel_requests_refused_total',
      help: 'Requests that were refused for who sent them: 401, 403, and 429 after too many wrong credentials.',
      labelNames: ['code'],
      registers: [registry],
    });
    for (const code of REFUSAL_CODES) this.counted.inc({ code }, 0);
    this.task = new PeriodicTask({
      everyMs: EVERY_MS,
      task: () => this.execute(),
      failure: 'refusals could not be written to the audit log; they will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.requests.listen((request) => this.note(request));
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.write([...this.refusals.take(), ...this.refusals.takeRest()]);
  }

  /** Writes what has been counted, as far as the bounds allow. @throws Unavailable */
  execute(): Promise<void> {
    return this.write(this.refusals.take());
  }

  private note(request: RefusedRequest): void {
    this.counted.inc({ code: request.code });
    this.refusals.note(kindOf(request), request.requestId);
  }

  private async write(taken: readonly CountedRefusals[]): Promise<void> {
    const all = (this.waiting = [...this.waiting, ...taken]);
    if (all.length === 0) return;
    await this.storage.write(async (tx) => {
      for (const refusals of all) this.audit.record(tx, actOf(refusals));
    });
    this.waiting = [];
  }
}

function kindOf({ code, status, method, route, caller, address }: RefusedRequest): RefusalKind {
  const party = caller ? actingParty(caller) : { name: 'nobody', label: null };
  return {
    action: 'request.refused',
    ...{ orgId: caller?.scope?.orgId ?? null, projectId: caller?.scope?.projectId ?? null },
    ...{ actor: party.name, actorName: party.label, address },
    ...{ target: `${method} ${route ?? '*'}`, targetName: null, code, details: { code, status } },
  };
}

function actOf({ action, orgId, projectId, actor, actorName, address, ...counted }: CountedRefusals): AuditedAct {
  const { target, targetName, details, count, firstAt, lastAt, requestId } = counted;
  return {
    action,
    ...{ orgId, projectId, targetId: target ?? SEVERAL, targetName },
    context: { actor: { name: actor ?? SEVERAL, label: actorName }, address, requestId },
    details: {
      ...details,
      ...{ count, first_at: formatTimestamp(firstAt), last_at: formatTimestamp(lastAt) },
    },
  };
}

import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { formatTimestamp } from '@spandrel/contract';
import {
  actingParty,
  LOGGER,
  METRICS,
  PeriodicTask,
  REFUSAL_CODES,
  RefusedRequests,
  type Logger,
  type RefusedRequest,
} from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { AuditTrail, type AuditedAct } from '../trail/audit-trail.js';
import { RefusalBook, type CountedRefusals, type RefusalKind } from './refusal-book.js';

/** How long refusals are counted before they are written. */
const EVERY_MS = 10_000;
const BOUNDS = { burst: 60, everyMs: 60_000, kindsMax: 1_000 };

/** How the log names what several did. */
const SEVERAL = 'several';

/**
 * Writes requests that were refused for who sent them (docs/spec/audit.md#refusals): counted and bounded, and behind the
 * answers, so that nobody can hold up or fill the service by being refused.
 */
@Injectable()
export class RecordRefusals implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly book = new RefusalBook(BOUNDS);
  private readonly task: PeriodicTask;
  /** What was taken from the book and could not be written. */
  private waiting: CountedRefusals[] = [];
  private readonly counted: Counter<'code'>;

  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    private readonly refused: RefusedRequests,
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
    this.refused.listen((request) => this.note(request));
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    await this.write([...this.book.take(Date.now()), ...this.book.takeRest()]);
  }

  /** Writes what has been counted, as far as the bounds allow. @throws Unavailable */
  execute(): Promise<void> {
    return this.write(this.book.take(Date.now()));
  }

  private note(request: RefusedRequest): void {
    this.counted.inc({ code: request.code });
    this.book.note(kindOf(request), request.requestId, Date.now());
  }

  /** All of them in one transaction. */
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
    ...{ orgId: caller?.scope?.orgId ?? null, projectId: caller?.scope?.projectId ?? null },
    ...{ actor: party.name, actorName: party.label, address },
    ...{ route: `${method} ${route ?? '*'}`, code, status },
  };
}

function actOf({ orgId, projectId, actor, actorName, address, route, ...counted }: CountedRefusals): AuditedAct {
  const { code, status, count, firstAt, lastAt, requestId } = counted;
  return {
    action: 'request.refused',
    ...{ orgId, projectId, targetId: route ?? SEVERAL },
    context: { actor: { name: actor ?? SEVERAL, label: actorName }, address, requestId },
    details: {
      ...(code !== null && { code, status }),
      ...{ count, first_at: formatTimestamp(firstAt), last_at: formatTimestamp(lastAt) },
    },
  };
}

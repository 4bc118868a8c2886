import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { Counter, type Registry } from '@prometheus-io/client';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import {
  LOGGER,
  METRICS,
  BackgroundTasks,
  RETENTION_POLICY,
  Unavailable,
  type Logger,
  type RetentionPolicy,
  type RetentionTerm,
} from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { TracingSettings } from '../tracing.settings.js';
import { ExpireSpans, type Expired } from './expire-spans.js';
import { ExpiredStore } from './expired.store.js';

const CLOCKS_APART_MS_MAX = 5 * 60_000;

/** The part of the interval, on average, after which the first run begins: servers may live short, or start together. */
const FIRST_PART = 1 / 4;

/** Deletes what is too old every `retention.interval`, where a feature says what is ({@link RETENTION_POLICY}). */
@Injectable()
export class RetentionTask {
  private readonly runs: Counter<'outcome'>;

  constructor(
    { retentionIntervalMs }: TracingSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly modules: ModuleRef,
    private readonly expire: ExpireSpans,
    private readonly store: ExpiredStore,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
    @Inject(METRICS) registry: Registry,
    tasks: BackgroundTasks,
  ) {
    this.runs = new Counter({
      name: 'spandrel_retention_runs_total',
      help: 'Runs that delete what is too old, by outcome: completed, failed (the next one goes on where it broke off).',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    // A counter that begins at its first increase hides that increase from Prometheus.
    for (const outcome of ['completed', 'failed'] as const) this.runs.inc({ outcome }, 0);
    tasks.add({
      everyMs: retentionIntervalMs,
      firstMs: retentionIntervalMs * FIRST_PART * (0.5 + Math.random()),
      task: async (stopped) => void (await this.run(stopped)),
      failure: 'what is too old could not be deleted; it will be at the next time',
    });
  }

  /** Does it now. @returns `undefined` where everything is kept. @throws Unavailable */
  async run(stopped: AbortSignal): Promise<Expired | undefined> {
    const policy = this.policy();
    if (!policy) return undefined;
    try {
      const expired = await this.delete(policy, stopped);
      this.runs.inc({ outcome: 'completed' });
      return expired;
    } catch (error) {
      this.runs.inc({ outcome: 'failed' });
      throw error;
    }
  }

  private async delete(policy: RetentionPolicy, stopped: AbortSignal): Promise<Expired> {
    const terms = await policy.terms();
    const expired = await this.expire.execute(terms, await this.now(), stopped);
    for (const act of auditedExpiry(terms, expired)) await this.audit.recordAlone(this.storage, act);
    const deleted = [...expired.plans].filter(([, { traces, spans }]) => traces + spans > 0);
    if (deleted.length > 0) {
      this.logger.info({ plans: Object.fromEntries(deleted), daysDropped: expired.daysDropped }, 'retention: deleted');
    }
    return expired;
  }

  /** The earlier of two clocks: one that is ahead would delete what is young. @throws Unavailable when they differ. */
  private async now(): Promise<number> {
    const [here, there] = [Date.now(), await this.store.databaseNow()];
    if (Math.abs(here - there) > CLOCKS_APART_MS_MAX) {
      throw new Unavailable('the clocks of this server and of the database differ by minutes: nothing is deleted');
    }
    return Math.min(here, there);
  }

  /** The retention policy, from whichever feature provides one: that feature knows tracing, not the other way round. */
  private policy(): RetentionPolicy | undefined {
    try {
      return this.modules.get<RetentionPolicy>(RETENTION_POLICY, { strict: false });
    } catch {
      return undefined;
    }
  }
}

/** What the audit log has of a run: an entry for each organization of which something was deleted. */
function auditedExpiry(terms: readonly RetentionTerm[], { projects }: Pick<Expired, 'projects'>): AuditedAct[] {
  const byOrganization = Map.groupBy(
    terms.filter(({ projectId }) => projects.has(projectId)),
    ({ orgId }) => orgId,
  );
  return [...byOrganization].map(([orgId, some]) => {
    const ofProjects = some.map((term) => ({ ...term, ...projects.get(term.projectId)! }));
    return {
      ...{ action: 'retention.applied', orgId, targetId: orgId },
      details: {
        traces_deleted: ofProjects.reduce((sum, { traces }) => sum + traces, 0),
        spans_deleted: ofProjects.reduce((sum, { spans }) => sum + spans, 0),
        projects: Object.fromEntries(
          ofProjects.map(({ projectId, days, traces, spans }) => [
            projectId,
            { days, traces_deleted: traces, spans_deleted: spans },
          ]),
        ),
      },
    };
  });
}

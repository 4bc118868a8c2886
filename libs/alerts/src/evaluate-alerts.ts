import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import {
  ALERT_SERIES_KEYS_MAX,
  ALERT_SERIES_MOMENTS,
  durationMs,
  formatTimestamp,
  getOrMake,
  type AlertEvaluation,
  type AlertGroup,
  type AlertSeries,
  type AlertState,
} from '@spandrel/contract';
import {
  BackgroundTasks,
  DomainError,
  LOGGER,
  METRICS,
  newId,
  projectScope,
  Unavailable,
  type Logger,
  type PeriodicTask,
  type Scope,
} from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { AlertChannel, AlertChangeEntity, type AlertRow } from './alert.entity.js';
import { AlertStore, exportedAlert, groupsOf } from './alert.store.js';
import { AlertDeliveryStore, createDelivery } from './alert-delivery.store.js';
import { describeRule, type AlertMessage } from './alert-message.js';
import { decideState, furthestFirst, type Decision, type Reading } from './decide-state.js';
import { DeliverAlerts } from './deliver-alerts.js';
import { ReadMeasure, sourceOf } from './read-measure.js';

/** How often each alert is evaluated; one that takes long is evaluated less often, for a twentieth of the time. */
const EVALUATED_MS = 60_000;
const PAUSES = 20;
const EVERY_MS = 5_000;
const AT_ONCE = 4;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const HISTORY_MS = 30 * DAY_MS;
const PRUNED_MS = 3_600_000;
const GROUPS_SHOWN = 20;

/** What was measured of windows, by their starts. */
type Known = Map<number, Promise<Reading[]>>;

interface Evaluated {
  decision: Decision | null;
  explain: AlertEvaluation;
}

/**
 * Evaluates alerts in the background, each once a minute by one instance: who takes one puts it off for the others in the same
 * statement (docs/spec/alerts.md#when-an-alert-is-evaluated).
 */
@Injectable()
export class EvaluateAlerts {
  private readonly task: PeriodicTask;
  private readonly evaluations: Counter<'outcome'>;

  constructor(
    private readonly storage: Storage,
    private readonly alerts: AlertStore,
    private readonly measures: ReadMeasure,
    private readonly deliveries: DeliverAlerts,
    sent: AlertDeliveryStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
    tasks: BackgroundTasks,
  ) {
    this.evaluations = new Counter({
      name: 'spandrel_alert_evaluations_total',
      help: 'Evaluations of alerts, by outcome: completed, failed (the state stayed).',
      labelNames: ['outcome'] as const,
      registers: [registry],
    });
    for (const outcome of ['completed', 'failed'] as const) this.evaluations.inc({ outcome }, 0);
    this.task = tasks.add({
      everyMs: EVERY_MS,
      task: (stopped) => this.evaluateDue(Date.now, stopped),
      failure: 'alerts could not be evaluated; they will be at the next time',
    });
    tasks.add({
      everyMs: PRUNED_MS,
      task: async () => {
        await alerts.prune(Date.now() - HISTORY_MS);
        await sent.prune(Date.now() - HISTORY_MS);
      },
      failure: 'the history of alerts could not be pruned; it will be at the next time',
    });
  }

  hurry(): void {
    this.task.hurry();
  }

  /** Evaluates all alerts that are due, of all projects. @param now milliseconds since the epoch. */
  async evaluateDue(now: () => number = Date.now, stopped = new AbortController().signal): Promise<void> {
    while (!stopped.aborted) {
      const claimed = await this.alerts.claim(now(), now() + EVALUATED_MS, AT_ONCE);
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((alert) => this.evaluateClaimed(alert, now(), stopped)));
    }
  }

  /** What an evaluation finds now; nothing is kept or sent. @throws DomainError `range_too_large`. */
  async explain(scope: Scope, id: string): Promise<AlertEvaluation> {
    const alert = await this.alerts.get(scope, id);
    return (await this.evaluate(scope, { ...alert, enabled: 1 }, Date.now())).explain;
  }

  /** What evaluations find at moments up to now, a few at a time; nothing is kept or sent. @throws DomainError `range_too_large`. */
  async series(scope: Scope, id: string): Promise<AlertSeries> {
    const alert = { ...(await this.alerts.get(scope, id)), enabled: 1, state: 'ok', groups: '[]' };
    const rule = exportedAlert(alert);
    const [now, stepMs] = [Date.now(), Math.min(durationMs(rule.window), DAY_MS)];
    const moments = Array.from(
      { length: ALERT_SERIES_MOMENTS },
      (_, at) => now - (ALERT_SERIES_MOMENTS - 1 - at) * stepMs,
    );
    const found: Map<string | null, AlertGroup>[] = [];
    const [patient, known]: [Scope, Known] = [{ ...scope, patient: true }, new Map()];
    // Scoring rules are known as they are now.
    const asked = rule.measure === 'scoring_stalled' ? [] : moments;
    for (let at = 0; at < asked.length; at += AT_ONCE) {
      const some = asked.slice(at, at + AT_ONCE).map((moment) => this.decide(patient, alert, moment, known));
      for (const { readings } of await Promise.all(some)) {
        found.push(new Map(readings.map((reading) => [reading.key, reading])));
      }
    }
    const all = furthestFirst(
      rule.condition,
      found.flatMap((groups) => [...groups.values()]),
    );
    const keys = [...new Set(all.map(({ key }) => key))].slice(0, ALERT_SERIES_KEYS_MAX);
    return {
      step_ms: stepMs,
      moments: moments.map((at) => formatTimestamp(at)),
      series: keys.map((key) => ({
        key,
        values: found.map((groups) => groups.get(key)?.value ?? null),
        change_percents: found.map((groups) => groups.get(key)?.change_percent ?? null),
      })),
    };
  }

  private async evaluateClaimed(alert: AlertRow, now: number, stopped: AbortSignal): Promise<void> {
    const began = performance.now();
    const evaluated = await this.evaluateOrExplain(alert, now, stopped);
    if (!evaluated) return;
    this.evaluations.inc({ outcome: evaluated.decision ? 'completed' : 'failed' });
    const pausedUntil = now + PAUSES * (performance.now() - began);
    const isSending = await this.storage.write((tx) => this.save(tx, alert, evaluated, now, pausedUntil));
    if (isSending) this.deliveries.hurry();
  }

  /** @returns `undefined` where it was given up. @throws Unavailable */
  private async evaluateOrExplain(alert: AlertRow, now: number, stopped: AbortSignal): Promise<Evaluated | undefined> {
    try {
      return await this.evaluate({ ...projectScope(alert.projectId), signal: stopped }, alert, now);
    } catch (error) {
      if (stopped.aborted) return undefined;
      if (error instanceof Unavailable) throw error;
      if (!(error instanceof DomainError))
        this.logger.error({ err: error, id: alert.id }, 'an alert cannot be evaluated');
      const reason = error instanceof DomainError ? error.message : 'something went wrong';
      return { decision: null, explain: explained(alert, now, null, reason) };
    }
  }

  private async evaluate(scope: Scope, alert: AlertRow, now: number): Promise<Evaluated> {
    const decision = await this.decide(scope, alert, now);
    return { decision, explain: explained(alert, now, decision, reasonOf(exportedAlert(alert), decision)) };
  }

  /** @param known what was measured already: a window is often the one that the next is compared with. */
  private async decide(scope: Scope, alert: AlertRow, now: number, known: Known = new Map()): Promise<Decision> {
    const rule = exportedAlert(alert);
    const { from, comparedFrom, windowMs } = rangesOf(rule, now);
    const measure = (start: number) =>
      getOrMake(known, start, () => this.measures.read(scope, rule, { from: start, until: start + windowMs }));
    const measured = rule.enabled ? await measure(from) : [];
    const compared = rule.enabled && comparedFrom !== null ? await measure(comparedFrom) : [];
    const before = { state: alert.state as AlertState, groups: groupsOf(alert) };
    return decideState(rule, measured, compared, before, now);
  }

  /** Keeps what was found, with what is to be sent of it, unless the alert was changed meanwhile. @returns whether something is. */
  private async save(
    tx: WriteTx,
    claimed: AlertRow,
    evaluated: Evaluated,
    now: number,
    pausedUntil: number,
  ): Promise<boolean> {
    const alert = await this.alerts.findClaimed(tx, claimed);
    if (!alert) return false;
    const { decision, explain } = evaluated;
    alert.explain = JSON.stringify(explain);
    alert.dueAt = alert.enabled ? Math.max(alert.dueAt!, Math.ceil(pausedUntil)) : null;
    if (!decision) return false;
    if (decision.state !== alert.state) alert.stateSince = now;
    Object.assign(alert, {
      state: decision.state,
      lastValue: decision.lastValue,
      groups: JSON.stringify(decision.groups),
    });
    const { projectId, id: alertId } = alert;
    for (const { key, from, to, value } of decision.changes) {
      tx.em.create(AlertChangeEntity, {
        projectId,
        id: newId(),
        alertId,
        at: now,
        key,
        fromState: from,
        toState: to,
        value,
      });
    }
    const { channel_ids: ids } = exportedAlert(alert);
    const channels = decision.notices.length > 0 ? await tx.em.find(AlertChannel, { projectId, id: { $in: ids } }) : [];
    for (const notice of decision.notices) {
      for (const channel of channels) {
        createDelivery(tx, channel, alertId, messageOf(alert, notice, now), now);
      }
    }
    return channels.length > 0;
  }
}

/** When the window of an alert begins, and the one it is compared with; `null` where it is with none. */
function rangesOf({ window, condition }: ReturnType<typeof exportedAlert>, now: number) {
  const windowMs = durationMs(window);
  const from = now - windowMs;
  if ('op' in condition) return { windowMs, from, comparedFrom: null };
  return { windowMs, from, comparedFrom: from - (condition.against === 'previous' ? windowMs : WEEK_MS) };
}

function explained(alert: AlertRow, now: number, decision: Decision | null, reason: string): AlertEvaluation {
  const rule = exportedAlert(alert);
  const { from, comparedFrom } = rangesOf(rule, now);
  const readings = (decision?.readings ?? []).toSorted((a, b) => Number(b.holds) - Number(a.holds));
  return {
    at: formatTimestamp(now),
    since: formatTimestamp(from),
    until: formatTimestamp(now),
    compared_since: comparedFrom === null ? null : formatTimestamp(comparedFrom),
    source: sourceOf(rule),
    ...{ decision: decision?.state ?? null, reason },
    groups: readings.slice(0, GROUPS_SHOWN),
    group_count: readings.length,
  };
}

function reasonOf(rule: ReturnType<typeof exportedAlert>, { state, readings, groups }: Decision): string {
  if (!rule.enabled) return 'the alert is off';
  const holding = readings.filter(({ holds }) => holds).length;
  const what = describeRule(rule);
  if (state === 'no_data') return `no data: ${what} cannot be said`;
  if (holding === 0) return `${what} does not hold`;
  const where = rule.group_by === 'none' ? '' : ` for ${holding} of ${readings.length} by ${rule.group_by}`;
  const waits = state === 'ok' || groups.some(({ firingSince }) => firingSince === null);
  return `${what} holds${where}${waits && rule.for !== null ? `; it fires once it has for ${rule.for}` : ''}`;
}

function messageOf(alert: AlertRow, { event, key, value }: Decision['notices'][number], now: number): AlertMessage {
  const { id, name, severity, measure, window, condition, group_by } = exportedAlert(alert);
  return {
    ...{ id: newId(), type: `alert.${event}`, created_at: formatTimestamp(now), project_id: alert.projectId },
    alert: { id, name, severity, measure, window, condition, group_by },
    ...{ key, value },
  };
}

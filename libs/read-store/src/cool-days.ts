import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTasks, LOGGER, projectScope, type Logger, type Scope } from '@spandrel/kernel';
import type { ReadStore } from '@spandrel/plugin-api';
import { dayOf, dayStart, Storage } from '@spandrel/storage';
import { ColdPayloads, ReadStorePort, SpanStore, TraceLookups, TracingSettings } from '@spandrel/tracing';
import { READ_STORE } from './configured-store.js';
import { LoadReadStore } from './load-read-store.js';
import { MAY_GO, ReadStoreDayStore } from './read-store-day.store.js';
import { CHANGE_KIND, DAY_STATE } from './read-store.entity.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreSettings } from './read-store.settings.js';

/** Deletions of traces while a day is compared make it differ: it is looked at again before that counts. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 1_000;
const PENDING_MAX = 20_000;
const BROUGHT_BACK_AT_ONCE = 200;

/**
 * Has the database give away the texts of days that are older than `retention.hot_days`, once the read store shows by
 * count and digest that it has them (ADR 0087); and brings back those of days that are younger, as after a change of the setting.
 */
@Injectable()
export class CoolDays {
  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly settings: ReadStoreSettings,
    { retentionIntervalMs }: TracingSettings,
    private readonly storage: Storage,
    private readonly traces: TraceLookups,
    private readonly spans: SpanStore,
    private readonly payloads: ColdPayloads,
    private readonly port: ReadStorePort,
    private readonly changes: ReadStoreChangeStore,
    private readonly days: ReadStoreDayStore,
    private readonly loader: LoadReadStore,
    tasks: BackgroundTasks,
  ) {
    if (store?.capabilities.byId !== true) return;
    tasks.add({
      everyMs: retentionIntervalMs,
      firstMs: retentionIntervalMs * (0.25 + Math.random() / 4),
      task: (stopped) => this.execute(Date.now(), stopped),
      failure: 'texts could not be given to the read store alone; they will be at the next time',
    });
  }

  /** Does it now. @throws what the store throws, and Unavailable; texts that it is about stay where they are. */
  async execute(now: number, stopped: AbortSignal = new AbortController().signal): Promise<void> {
    const { hotDays } = this.settings;
    const last = hotDays === null ? -Infinity : dayOf(now) - hotDays - 1;
    if (!((await this.changes.state())?.confirmed ?? 0)) return;
    await this.warm(last, stopped);
    if (hotDays === null) return;
    for (const [day, projectIds] of await this.due(last)) {
      if (stopped.aborted) return;
      await this.cool(day, projectIds, stopped);
    }
    await this.store!.purge?.();
  }

  /** Days up to one that have to be looked at, oldest first, each with its projects. */
  private async due(last: number): Promise<[number, string[]][]> {
    const due = new Map<number, string[]>();
    const reading = { all: this.storage.readLong.bind(this.storage) };
    for (let id = ''; ;) {
      const projectId = await this.traces.findProjectBehind(reading, id);
      if (projectId === null) return [...due].toSorted(([a], [b]) => a - b);
      id = projectId;
      const scope = projectScope(projectId);
      const known = new Map((await this.days.ofProject(scope)).map(({ day, state }) => [day, state]));
      // A start may be corrected into any time: days before the epoch keep their texts.
      let day = await this.payloads.dayFrom(scope, 0);
      const first = day ?? Infinity;
      if (known.keys().some((one) => one < first)) await this.storage.write((tx) => this.days.forget(tx, id, 0, day));
      while (day !== undefined && day <= last) {
        if (known.get(day) !== DAY_STATE.cold) due.set(day, [...(due.get(day) ?? []), projectId]);
        for (day += 1; known.get(day) === DAY_STATE.cold;) day++;
        day = await this.payloads.dayFrom(scope, day);
      }
    }
  }

  /** All projects of a day must agree: on Postgres they lie in one partition. */
  private async cool(day: number, projectIds: readonly string[], stopped: AbortSignal): Promise<void> {
    const began = Date.now();
    for (const projectId of projectIds) await this.days.begin({ projectId, day });
    const agreed = [];
    for (const projectId of projectIds) agreed.push(await this.agrees(projectScope(projectId), day, began, stopped));
    if (agreed.includes(false)) return;
    const proceed = async (from: 'comparing' | 'agreed', to: 'agreed' | 'cold'): Promise<boolean> => {
      const done = [];
      for (const projectId of projectIds) done.push(await this.days.proceed({ projectId, day }, from, to));
      return !done.includes(false);
    };
    if (!(await proceed('comparing', 'agreed'))) return;
    // What is still to be loaded again stays, even where the store has its texts: the day is looked at once more.
    if (!(await this.payloads.take(day, projectIds.map(projectScope), MAY_GO))) return;
    if (await proceed('agreed', 'cold'))
      this.logger.info({ day: nameOf(day) }, 'texts of a day are in the read store alone');
  }

  /** Whether the store has of a day what the database has. What it does not have is logged and noted. */
  private async agrees(scope: Scope, day: number, began: number, stopped: AbortSignal): Promise<boolean> {
    const { projectId } = scope;
    for (let look = 1; ; look++) {
      await this.loader.execute(stopped);
      const state = await this.changes.state();
      if (!state || stopped.aborted) return false;
      const has = { content: state.content, batch: state.confirmed };
      const range = { since: dayStart(day), until: dayStart(day + 1) };
      const own = await this.payloads.sumOf(scope, day);
      const stored = await this.store!.digest!({ projectId, has, ...range });
      if (own.count === stored.count && own.sum === stored.sum) return true;
      const pending = await this.changes.pendingOf(scope, PENDING_MAX);
      const isBehind = pending.some(({ kind, notedAt }) => kind === CHANGE_KIND.project || notedAt <= began);
      if (look < LOOKS) {
        await pause(BETWEEN_LOOKS_MS, undefined, { signal: stopped }).catch(() => undefined);
        continue;
      }
      if (!isBehind && (await this.days.proceed({ projectId, day }, 'comparing', 'differs'))) {
        this.logger.error(
          { projectId, day: nameOf(day), database: own, readStore: stored },
          'the read store does not have the texts of a day as they are: the database keeps those that it has',
        );
      }
      return false;
    }
  }

  /** Brings texts back of days behind one: what is not old enough, or not any more. */
  private async warm(last: number, stopped: AbortSignal): Promise<void> {
    for (const projectId of await this.days.projects()) {
      const scope = projectScope(projectId);
      for (const { day, isCold } of await this.days.ofProject(scope)) {
        if (isCold !== 1 || day <= last) continue;
        for (let behind = ''; ;) {
          const ids = await this.payloads.coldOf(scope, day, behind, BROUGHT_BACK_AT_ONCE);
          if (stopped.aborted) return;
          if (ids.length === 0) break;
          await this.spans.bringBack(scope, ids, this.port);
          behind = ids.at(-1)!;
        }
        await this.storage.write((tx) => this.days.forget(tx, projectId, day, day + 1));
        this.logger.info({ projectId, day: nameOf(day) }, 'texts of a day are in the database again');
      }
    }
  }
}

const nameOf = (day: number): string => new Date(dayStart(day)).toISOString().slice(0, 10);

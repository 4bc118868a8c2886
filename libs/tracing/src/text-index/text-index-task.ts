import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks, projectScope } from '@spandrel/kernel';
import {
  SpanCommitParticipants,
  type SpanCommitParticipant,
  type TracingChange,
} from '../write/span-commit-participant.js';
import { BuildTextIndex } from './build-text-index.js';
import { TextIndexStore } from './text-index.store.js';

const EVERY_MS = 5_000;
/** How often a project that loses spans is looked at for slices that are empty. */
const TRIM_MS = 10 * 60_000;

interface Watched {
  /** When spans of the project were last written or deleted by this process. */
  changedAt: number;
  trimmedAt: number;
}

/** Keeps the slices of the projects that this process writes to, and of all once, for at most half of the time. */
@Injectable()
export class TextIndexTask implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'text_index';
  private readonly watched = new Map<string, Watched>();
  private begun = false;

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly build: BuildTextIndex,
    private readonly slices: TextIndexStore,
    tasks: BackgroundTasks,
  ) {
    tasks.add({
      everyMs: EVERY_MS,
      task: (stopped) => this.run(stopped),
      failure: 'texts could not be put into slices; searches read them all until they can',
    });
  }

  onModuleInit(): void {
    this.participants.register(this);
  }

  afterCommit(changes: readonly TracingChange[]): void {
    const now = Date.now();
    let last: string | undefined;
    for (const { scope } of changes) {
      if (scope.projectId !== last) this.watch((last = scope.projectId), now);
    }
  }

  /** Does all that is to be done now, a step for each project in turn; one that always has more holds up no other. */
  async run(stopped: AbortSignal): Promise<void> {
    if (!this.begun) await this.watchAll(stopped);
    let [pending, began] = [[...this.watched.keys()], performance.now()];
    while (pending.length > 0 && !stopped.aborted) {
      const left: string[] = [];
      for (const projectId of pending) {
        if (stopped.aborted) return;
        if (await this.step(projectId, stopped)) left.push(projectId);
      }
      pending = left;
      if (left.length === 0 || performance.now() - began < EVERY_MS) continue;
      [pending, began] = [[...this.watched.keys()], performance.now()];
    }
  }

  /** @returns whether there may be more to do now. */
  private async step(projectId: string, stopped: AbortSignal): Promise<boolean> {
    const began = performance.now();
    const scope = projectScope(projectId);
    const done = await this.build.execute(scope, stopped);
    if (done === 'busy') return false;
    if (done === 'idle') {
      await this.rest(projectId, Date.now());
      return false;
    }
    await pause(performance.now() - began, undefined, { signal: stopped, ref: false }).catch(() => undefined);
    return true;
  }

  /** A project is let go of once nothing that was written to it is too young for a slice. */
  private async rest(projectId: string, now: number): Promise<void> {
    const watched = this.watched.get(projectId)!;
    if (now - watched.trimmedAt > TRIM_MS) {
      watched.trimmedAt = now;
      await this.build.trim(projectScope(projectId));
    } else if (now - watched.changedAt > TRIM_MS + this.build.ageMs) this.watched.delete(projectId);
  }

  private watch(projectId: string, now: number): void {
    const watched = this.watched.get(projectId);
    if (watched) watched.changedAt = now;
    else this.watched.set(projectId, { changedAt: now, trimmedAt: now });
  }

  private async watchAll(stopped: AbortSignal): Promise<void> {
    for await (const projectId of this.slices.projects()) {
      if (stopped.aborted) return;
      this.watch(projectId, Date.now());
    }
    this.begun = true;
  }
}

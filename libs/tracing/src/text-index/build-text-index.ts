import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { limitBySize, Storage, type WriteTx } from '@spandrel/storage';
import { GramFilter } from './gram-filter.sql.js';
import { NOTHING_INDEXED } from './pending-texts.sql.js';
import { SLICE_STATE } from './text-index.entity.js';
import {
  TextIndexStore,
  type PendingText,
  type SizedSpan,
  type SliceRange,
  type TextSlice,
} from './text-index.store.js';

/** How slices are made. Measured: see README.md. */
interface SliceSettings extends SliceSize {
  /** How long ago spans started that come to be in slices: by then most of them have ended. */
  ageMs: number;
}

const SETTINGS: SliceSettings = { spans: 1_000, bytes: 2 * 1024 * 1024, ageMs: 2 * 60_000 };

/** A filter is at most this part of the texts in it, in bytes. */
const FILTER_PART = 1 / 16;
const FILTER_BYTES_MIN = 1_024;

/** Texts read in one go, in bytes, and characters of which the grams are taken in one turn of the event loop: a millisecond. */
const READ_BYTES = 2 * 1024 * 1024;
const READ_SPANS = 256;
/** What the texts of a pending span are taken for, whose size is not asked for. */
const PENDING_BYTES = 128 * 1024;
const CHARS_A_TURN = 128 * 1024;
/** The grams of a text are those of its parts when these overlap by one character less than a gram has. */
const OVERLAP = 3;

/** Late spans looked at in one go, and slices that they are added to. */
const PENDING_AT_ONCE = 2_000;

/** Late spans taken out in one transaction, which others wait for. */
const TAKEN_OUT_AT_ONCE = 500;
const SLICES_AT_ONCE = 20;
/** A slice is made again when pending spans come to this part of it. */
const PENDING_PART = 1 / 4;

const LEASE_MS = 60_000;

type Step = 'idle' | 'busy' | { spans: number };

/** Makes slices of the texts of a project and keeps them (README.md), a few megabytes and one slice a step. */
@Injectable()
export class BuildTextIndex {
  private readonly server = randomUUID();
  private readonly leasedUntil = new Map<string, number>();

  constructor(
    private readonly storage: Storage,
    private readonly slices: TextIndexStore,
    @Optional() private readonly settings: SliceSettings = SETTINGS,
  ) {}

  /** How long ago spans started that come to be in slices. */
  get ageMs(): number {
    return this.settings.ageMs;
  }

  /**
   * Does the next step: moves the watermark, fills an open slice, or adds pending spans.
   * @returns `idle` when there is nothing to do now, `busy` when another server has the project.
   */
  async execute(scope: Scope, stopped: AbortSignal, now = Date.now()): Promise<Step> {
    const end = await this.slices.watermark(scope);
    const aged = now - this.settings.ageMs;
    const young = { startedFrom: end, startedUntil: aged };
    const last = aged > end ? await this.slices.lastStart(scope, young, this.settings.spans) : null;
    if (last === null && end === NOTHING_INDEXED) return 'idle';
    if (!(await this.lease(scope, now))) return 'busy';
    // Not beyond the last span: imports of older spans write behind it, and none of them is pending.
    if (last !== null) await this.storage.write((tx) => this.slices.moveEnd(tx, scope, end, last + 1));
    const open = await this.slices.newestOpen(scope);
    if (open) return (await this.slices.waitForWriters(stopped)) ? this.fill(scope, open, stopped) : 'busy';
    return this.addPending(scope, end, stopped);
  }

  /** Makes the slices that have no spans any more one that is empty. @returns whether there were any. */
  async trim(scope: Scope): Promise<boolean> {
    const end = await this.slices.watermark(scope);
    if (end === NOTHING_INDEXED) return false;
    const first = (await this.slices.firstStart(scope)) ?? end;
    const before = await this.slices.slicesIn(scope, {
      startedFrom: NOTHING_INDEXED,
      startedUntil: Math.min(first, end),
    });
    const gone = before.filter(({ startedUntil }) => startedUntil <= first);
    if (gone.every(({ spans }) => spans === 0) && gone.length < 2) return false;
    const range = { startedFrom: gone[0]!.startedFrom, startedUntil: gone.at(-1)!.startedUntil };
    return this.write(scope, (tx) => this.slices.reopen(tx, scope, range));
  }

  /** @returns whether no other server has the project. On SQLite there is no other. */
  private async lease(scope: Scope, now: number): Promise<boolean> {
    if (this.storage.exclusive) return true;
    if ((this.leasedUntil.get(scope.projectId) ?? 0) > now + LEASE_MS / 2) return true;
    const isTaken = await this.slices.lease(scope, this.server, now, now + LEASE_MS);
    if (isTaken) this.leasedUntil.set(scope.projectId, now + LEASE_MS);
    return isTaken;
  }

  private async fill(scope: Scope, open: SliceRange, stopped: AbortSignal): Promise<Step> {
    const made = cutSlice(
      open,
      await this.slices.newestSpans(scope, open, LOOKED * this.settings.spans),
      this.settings,
    );
    const range = { startedFrom: made.startedFrom, startedUntil: open.startedUntil };
    // Noted before the texts are read, which are thus as they are noted or newer.
    const pending = await this.slices.pendingTexts(scope, range, Number.MAX_SAFE_INTEGER);
    const grams = made.tooLarge ? undefined : await this.gramsOf(scope, made, stopped);
    if (stopped.aborted) return 'busy';
    const isMade = await this.write(scope, async (tx) => {
      const isCut =
        range.startedFrom === open.startedFrom || (await this.slices.cut(tx, scope, open, range.startedFrom));
      return isCut && this.slices.finish(tx, scope, range, made.spans.length, grams);
    });
    if (isMade) await this.takeOut(scope, pending, stopped);
    return { spans: made.spans.length };
  }

  /** Takes pending spans out whose texts their slices have. Those that are left when it is stopped are added once more, to no effect. */
  private async takeOut(scope: Scope, pending: readonly PendingText[], stopped: AbortSignal): Promise<void> {
    for (let at = 0; at < pending.length && !stopped.aborted; at += TAKEN_OUT_AT_ONCE) {
      const some = pending.slice(at, at + TAKEN_OUT_AT_ONCE);
      await this.write(scope, (tx) => this.slices.deletePending(tx, scope, some));
    }
  }

  private async gramsOf(scope: Scope, { spans }: CutSlice, stopped: AbortSignal): Promise<string> {
    const filter = GramFilter.empty();
    await this.addTexts(filter, scope, spans, stopped);
    const bytes = spans.reduce((sum, span) => sum + span.bytes, 0);
    filter.fold(Math.max(FILTER_BYTES_MIN, bytes * FILTER_PART) * 8);
    return filter.hex();
  }

  private async addTexts(
    filter: GramFilter,
    scope: Scope,
    spans: readonly SizedSpan[],
    stopped: AbortSignal,
  ): Promise<void> {
    for (let at = 0; at < spans.length && !stopped.aborted;) {
      const some = limitBySize(spans.slice(at, at + READ_SPANS), READ_BYTES);
      at += some.length;
      for (const { input, output, error } of await this.slices.texts(scope, some)) {
        for (const text of [input, output, error]) if (text !== null) await addText(filter, text);
      }
      await nextTurn();
    }
  }

  /** Adds pending spans to the filters of their slices; slices that have many are opened. */
  private async addPending(scope: Scope, end: number, stopped: AbortSignal): Promise<Step> {
    const pending = await this.slices.pendingTexts(
      scope,
      { startedFrom: NOTHING_INDEXED, startedUntil: end },
      PENDING_AT_ONCE,
    );
    if (pending.length === 0) return 'idle';
    const reach = { startedFrom: pending[0]!.startedAt, startedUntil: pending.at(-1)!.startedAt + 1 };
    const slices = await this.slices.slicesIn(scope, reach);
    const bySlice = Map.groupBy(pending, ({ startedAt }) => slices.find((one) => isWithin(startedAt, one)));
    const most = [...bySlice].toSorted(([, a], [, b]) => b.length - a.length).slice(0, SLICES_AT_ONCE);
    let spans = 0;
    for (const [slice, some] of most) {
      if (stopped.aborted) break;
      // An open slice takes its pending spans when it is filled.
      if (!slice || slice.state === SLICE_STATE.open) continue;
      if (slice.state === SLICE_STATE.filtered) await this.addPendingTo(scope, slice, some, stopped);
      else await this.dropPendingOf(scope, slice, some);
      spans += some.length;
    }
    return spans === 0 ? 'idle' : { spans };
  }

  /** Nothing is looked up in a slice that is always read. */
  private dropPendingOf(scope: Scope, slice: TextSlice, pending: readonly PendingText[]): Promise<void> {
    return this.write(scope, async (tx) => {
      if (await this.slices.isStill(tx, scope, slice)) await this.slices.deletePending(tx, scope, pending);
    });
  }

  private async addPendingTo(
    scope: Scope,
    slice: TextSlice,
    pending: readonly PendingText[],
    stopped: AbortSignal,
  ): Promise<void> {
    if (pending.length > Math.max(this.settings.spans, slice.spans) * PENDING_PART) {
      await this.write(scope, (tx) => this.slices.reopen(tx, scope, slice));
      return;
    }
    const filter = GramFilter.empty();
    await this.addTexts(
      filter,
      scope,
      pending.map(({ spanId, startedAt }) => ({ id: spanId, startedAt, bytes: PENDING_BYTES })),
      stopped,
    );
    if (stopped.aborted) return;
    await this.write(scope, async (tx) => {
      const grams = await this.slices.gramsOf(tx, scope, slice);
      if (grams === undefined) return;
      const whole = GramFilter.ofHex(grams);
      whole.addAll(filter);
      await this.slices.replaceGrams(tx, scope, slice, whole.hex(), pending.length);
      await this.slices.deletePending(tx, scope, pending);
    });
  }

  private write<T>(scope: Scope, work: (tx: WriteTx) => Promise<T>): Promise<T> {
    return this.storage.write(async (tx) => {
      await this.slices.hold(tx, scope);
      return work(tx);
    });
  }
}

const isWithin = (start: number, { startedFrom, startedUntil }: SliceRange): boolean =>
  start >= startedFrom && start < startedUntil;

async function addText(filter: GramFilter, text: string): Promise<void> {
  for (let from = 0; ; from += CHARS_A_TURN) {
    filter.add(text, Math.max(0, from - OVERLAP), Math.min(text.length, from + CHARS_A_TURN));
    if (from + CHARS_A_TURN >= text.length) return;
    await nextTurn();
  }
}

interface SliceSize {
  spans: number;
  bytes: number;
}

interface CutSlice {
  startedFrom: number;
  spans: readonly SizedSpan[];
  /** There are so many spans or so much text at one start that a filter of them would say nothing. */
  tooLarge: boolean;
}

/** Spans that a slice is cut from, for each that it should have; with as many that start at once it gets no filter. */
const LOOKED = 2;
/** A slice grows to so many times its size where there is nothing behind it, so that no small one is left. */
const REST = 1.5;
/** With more than so many times the texts a slice gets no filter. */
const LARGE = 8;

/**
 * Cuts the newest slice off an open range. All spans of one start come to be in one slice.
 * @param spans the newest of the range, as many as are {@link LOOKED} at.
 */
export function cutSlice(open: SliceRange, spans: readonly SizedSpan[], size: SliceSize): CutSlice {
  const isAll = spans.length < LOOKED * size.spans;
  const all = spans.reduce((sum, span) => sum + span.bytes, 0);
  const isRest = isAll && spans.length <= size.spans * REST && all <= size.bytes * REST;
  let bytes = 0;
  const end = spans.findIndex(({ startedAt }, at) => {
    const isFull = at >= size.spans || bytes >= size.bytes;
    if (isFull && !isRest && spans[at - 1]!.startedAt !== startedAt) return true;
    bytes += spans[at]!.bytes;
    return false;
  });
  const tooLarge = bytes > size.bytes * LARGE || (end === -1 && !isAll);
  const taken = end === -1 ? spans : spans.slice(0, end);
  return { startedFrom: end === -1 && isAll ? open.startedFrom : taken.at(-1)!.startedAt, spans: taken, tooLarge };
}

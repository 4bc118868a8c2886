import { Turn } from '@spandrel/kernel';
import type { Fetched, Part, Position } from '@spandrel/storage';
import type { StoredSpan } from '../../span.entity.js';
import type { SpanStore } from '../../span.store.js';
import type { SpanForm } from '../span-form.js';
import { allDays, dayByDay } from './day-scans.sql.js';
import { filteredSlices } from './filtered-slices.sql.js';
import { nextInListOrder } from './list-slices.sql.js';
import { payloadsAsTheyLie } from './payload-scan.sql.js';
import { matchesText } from './text-filter.sql.js';
import { FIRST_SLICE, type Slice, type TextSearch, type TextStrategy } from './text-strategy.js';

/** The strategies in the order in which they are preferred. */
const STRATEGIES: readonly TextStrategy[] = [filteredSlices, payloadsAsTheyLie, dayByDay, allDays];

/** Candidates looked at first, for each span that is wanted: of a word that most spans have they fill a page. */
const FIRST_LOOK = 2;
/** The most candidates looked at in one go. */
const SLICE_MAX = 16_000;
/** Found spans loaded in one go, payloads and all. */
const LOADED_AT_ONCE = 50;
/** Found text, in UTF-16 units, at which a page ends before its limit. */
const FOUND_LENGTH = 32 * 1024 * 1024;

/**
 * Looks through the candidates of a list slice by slice until enough spans are found; memory stays bounded.
 * @param form what is kept of a found span.
 */
export async function searchText<Row>(
  search: TextSearch,
  spans: SpanStore,
  form: Pick<SpanForm<Row>, 'ofWhole' | 'textLength'>,
  part: Part,
  start: Position | undefined,
  count: number,
): Promise<Fetched<Row>> {
  const found: Row[] = [];
  const turn = new Turn();
  let length = 0;
  let from = start;
  let looked = 0;
  const strategies = new Trying(STRATEGIES, search);
  for (let size = sizeOf(looked, count); ; looked += size, size = sizeOf(looked, count)) {
    const scanned = await strategies.next(looked, part, from);
    const { maybes, end } = scanned ?? (await nextInListOrder(search, part, from, size));
    for await (const loaded of load(search, spans, maybes)) {
      for (const span of loaded) {
        if (turn.isOver()) await turn.next();
        if (!(await matchesText(span, search.list.query))) continue;
        const row = form.ofWhole(span);
        found.push(row);
        length += form.textLength(row);
      }
      if (found.length >= count) return { rows: found.slice(0, count) };
      if (length > FOUND_LENGTH) return { rows: found, cut: true };
    }
    if (!end) return { rows: found };
    from = end;
  }
}

/** Candidates that are looked at in the next go. @param looked how many were. @param count how many spans are wanted. */
function sizeOf(looked: number, count: number): number {
  if (looked === 0) return Math.min(FIRST_LOOK * count, FIRST_SLICE);
  return looked < FIRST_SLICE ? FIRST_SLICE - looked : Math.min(looked + FIRST_SLICE, SLICE_MAX);
}

/** The strategies that can search a list, one after the other: what finds that it is not worth it is asked no more. */
class Trying {
  private readonly left: TextStrategy[];
  private turn = 0;

  constructor(
    strategies: readonly TextStrategy[],
    private readonly search: TextSearch,
  ) {
    this.left = strategies.filter((one) => one.applies(search));
  }

  /** @param looked how many candidates were looked at in list order. @returns `undefined` when none is worth it so far. */
  async next(looked: number, part: Part, from: Position | undefined): Promise<Slice | undefined> {
    for (;;) {
      const [strategy] = this.left;
      if (!strategy || looked < strategy.worthBehind(this.search)) return undefined;
      const slice = await strategy.next(this.search, part, from, this.turn++);
      if (slice) return slice;
      this.left.shift();
      this.turn = 0;
    }
  }
}

/** Whole spans in the order of their ids, a few at a time. */
async function* load(
  { list: { scope, options } }: TextSearch,
  spans: SpanStore,
  ids: readonly string[],
): AsyncGenerator<StoredSpan[]> {
  for (let at = 0; at < ids.length;) {
    const wanted = ids.slice(at, at + LOADED_AT_ONCE);
    const loaded = await spans.loadSome(scope, wanted, options);
    // A span deleted meanwhile is passed over.
    at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    yield loaded;
  }
}

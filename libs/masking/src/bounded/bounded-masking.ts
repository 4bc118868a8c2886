import { jsonTextInPieces, parseWithSources, readJsonInPieces, type MaskedField } from '@spandrel/contract';
import { inTurns, letOthersRun, codeFile, TaskFailure, TaskPool, type PluginEntry } from '@spandrel/kernel';
import { JsonWalk, type KnownMembers } from '../engine/json-walk.js';
import {
  fitted,
  MaskingAtOnce,
  type Masking,
  type MaskingCalls,
  type MemberFields,
  type MaskingRecipe,
} from '../engine/masking.js';
import { type TextMasker, MASKED_WHOLE } from '../engine/text-masker.js';
import type { LongText, MaskedText } from './mask-text.thread.js';

export interface BoundedMaskingParts {
  readonly projectId: string;
  readonly recipe: MaskingRecipe;
  readonly masking: Masking;
  readonly threads: Pick<MaskingThreads, 'mask'>;
  /** One for all projects of this thread. */
  readonly turn: LoopTurn;
  readonly onFailure: (masker: string) => void;
}

/** What was asked for does not fit into this turn of the event loop. */
class TooLong extends Error {}
const TOO_LONG = new TooLong();

/** Something that is to be masked, in the order in which it was asked for. */
type Call =
  | { kind: 'json'; value: unknown; fields: readonly MaskedField[] }
  | { kind: 'members'; value: object; known: MemberFields; field: MaskedField }
  | { kind: 'text'; text: string; field: MaskedField; lengthMax: number };

/** The rules of a project, which never hold the event loop for long (docs/adr/0054-threads-with-a-deadline.md). */
export class BoundedMasking {
  constructor(private readonly parts: BoundedMaskingParts) {}

  /**
   * Masks a thing that is to be stored.
   * @param mask a pure function, such as `maskSpan`: for a thing that takes long it is called again with what was masked. What it
   *   hands over it must not look into.
   * @returns what it answers; at once where it took no time.
   */
  run<Result>(mask: (masking: MaskingCalls) => Result): Result | Promise<Result> {
    const done = this.attempt(mask);
    return done ? done.result : this.runLong(mask);
  }

  /**
   * Masks a thing at once, or not at all.
   * @param more milliseconds that it may take of this turn of the event loop beside those of {@link run}.
   * @returns nothing when it would take long.
   */
  attempt<Result>(mask: (masking: MaskingCalls) => Result, more = 0): { result: Result } | undefined {
    const { turn } = this.parts;
    const left = turn.left + more;
    if (left <= 0) return undefined;
    try {
      return turn.run(() => ({ result: mask(new CallsInTime(this.parts.masking, performance.now() + left)) }));
    } catch (error) {
      if (error === TOO_LONG) return undefined;
      throw error;
    }
  }

  private async runLong<Result>(mask: (masking: MaskingCalls) => Result): Promise<Result> {
    const calls: Call[] = [];
    mask(collecting(calls));
    const masked: unknown[] = [];
    for (const call of calls) masked.push(await this.answer(call));
    const replay = new Replay(masked);
    const result = mask(replay);
    replay.assertEnd();
    return result;
  }

  private async answer(call: Call): Promise<unknown> {
    const { masking } = this.parts;
    if (call.kind === 'text') {
      const masked = await this.walk(call.text, call.field);
      return fitted(masked as string, call.lengthMax);
    }
    if (call.kind === 'members') return this.walk(call.value, call.field, masking.knownOf(call.known));
    let { value } = call;
    for (const field of call.fields) value = await this.walk(value, field);
    return value;
  }

  private async walk(value: unknown, field: MaskedField, known?: KnownMembers): Promise<unknown> {
    const { masking, turn } = this.parts;
    const masker = masking.of(field);
    if (!masker && !known) return value;
    let until = 0;
    const walk = new JsonWalk(value, masker, (own, text) => atOnce(own, text, until - performance.now()), known);
    const isOver = (): boolean => performance.now() >= until;
    for (;;) {
      if (turn.left <= 0) await turn.next();
      until = performance.now() + turn.left;
      if (turn.run(() => walk.run(isOver))) return walk.result;
      if (!walk.awaited) await turn.next();
      else walk.give(await this.maskLong(walk.awaited.text, walk.awaited.masker));
    }
  }

  private async maskLong(text: string, masker: TextMasker): Promise<string> {
    const { projectId, recipe, threads, onFailure } = this.parts;
    const masked = await threads.mask(projectId, { recipe, field: this.parts.masking.fieldOf(masker), text });
    for (const name of masked.failed) onFailure(name);
    return masked.text;
  }
}

const atOnce = (masker: TextMasker, text: string, left: number): string | undefined =>
  masker.isLong(text) ? undefined : masker.attempt(text, Math.max(left, TEXT_MS_MIN));

/** A text at the end of a turn may take so many milliseconds more before it goes to a thread. */
const TEXT_MS_MIN = 5;

/** Masks until a moment, on the clock of `performance.now()`. */
class CallsInTime extends MaskingAtOnce {
  constructor(
    private readonly masking: Masking,
    private readonly until: number,
  ) {
    super();
  }

  /** @throws TOO_LONG */
  protected walk(value: unknown, field: MaskedField, members?: MemberFields): unknown {
    const [masker, known] = [this.masking.of(field), members && this.masking.knownOf(members)];
    if (!masker && !known) return value;
    if (performance.now() >= this.until) throw TOO_LONG;
    const walk = new JsonWalk(value, masker, (own, text) => atOnce(own, text, this.until - performance.now()), known);
    if (!walk.run(() => performance.now() >= this.until)) throw TOO_LONG;
    return walk.result;
  }
}

const collecting = (calls: Call[]): MaskingCalls => ({
  json<Value>(value: Value, ...fields: MaskedField[]): Value {
    calls.push({ kind: 'json', value, fields });
    return value;
  },
  text<Text extends string | null | undefined>(text: Text, field: MaskedField, lengthMax = Infinity): Text {
    if (typeof text === 'string') calls.push({ kind: 'text', text, field, lengthMax });
    return text;
  },
  members<Value extends object>(value: Value, known: MemberFields, field: MaskedField): Value {
    calls.push({ kind: 'members', value, known, field });
    return value;
  },
});

class Replay implements MaskingCalls {
  private at = 0;

  constructor(private readonly masked: readonly unknown[]) {}

  json<Value>(): Value {
    return this.masked[this.at++] as Value;
  }

  text<Text extends string | null | undefined>(text: Text): Text {
    return typeof text === 'string' ? (this.masked[this.at++] as Text) : text;
  }

  members<Value extends object>(): Value {
    return this.masked[this.at++] as Value;
  }

  /** @throws Error when what masks asked for something else than before: nothing of it may be stored. */
  assertEnd(): void {
    if (this.at !== this.masked.length) throw new Error('what is masked has changed in between');
  }
}

/** Milliseconds for which all masking of this thread together holds a turn of its event loop. */
const TURN_MS = 2;

/** The least that a piece of work is given, so that it gets on. */
const PIECE_MS_MIN = 1;

/** The time that masking has until others are served, whichever requests it is for. */
export class LoopTurn {
  private spent = 0;
  private isCounted = false;

  /** What is left of this turn, in milliseconds. */
  get left(): number {
    return TURN_MS - this.spent;
  }

  run<Result>(work: () => Result): Result {
    if (!this.isCounted) {
      this.isCounted = true;
      setImmediate(() => {
        this.isCounted = false;
        this.spent = 0;
      });
    }
    const began = performance.now();
    try {
      return work();
    } finally {
      this.spent += performance.now() - began;
    }
  }

  async next(): Promise<void> {
    do await letOthersRun();
    while (this.left < PIECE_MS_MIN);
  }
}

/** What a text that was masked as a whole is counted under when no masker is to blame: it was not done in time, or not at all. */
const NOBODY = 'none';

/** How long a thread may take over a text; its own limit, of CPU, is shorter (docs/spec/masking.md#a-rule-that-fails). */
const DEADLINE_MS = 3_000;

/** Masks long texts in threads with a hard deadline; what is not done then is masked as a whole. */
export class MaskingThreads {
  private readonly pool: TaskPool<typeof import('./mask-text.thread.js')>;

  /** @param plugins what loads the maskers, see `maskerEntries`. */
  constructor(
    plugins: readonly PluginEntry[],
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    const file = codeFile('libs/masking/src/bounded/mask-text.thread.ts');
    // Who waits has one text here; how many that are is a limit of requests.
    this.pool = new TaskPool({ file, threadsMax: 2, queueMax: Infinity, startMs: 30_000, data: { plugins } });
  }

  /** Masks a text; never rejects. @param project whose text it is. */
  async mask(project: string, text: LongText): Promise<MaskedText> {
    try {
      return await this.pool.run('maskText', text, { deadlineMs: this.deadlineMs, group: project });
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      return { text: MASKED_WHOLE, failed: [NOBODY], found: [] };
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/**
 * Masks a thing that is JSON text, of any size; others have their turn meanwhile.
 * @param mask a pure function, such as `maskSpan`.
 */
export async function maskedJson<Thing>(
  text: string,
  masking: BoundedMasking,
  mask: (calls: MaskingCalls, thing: Thing) => Thing,
): Promise<string> {
  const thing = (await inTurns(readJsonInPieces(text, parseWithSources))) as Thing;
  return inTurns(jsonTextInPieces(await masking.run((calls) => mask(calls, thing))));
}

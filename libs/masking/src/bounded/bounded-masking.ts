import type { MaskedField } from '@spandrel/contract';
import { JsonWalk, type KnownMembers } from '../engine/json-walk.js';
import { fitted, MaskingAtOnce, type Masking, type MaskingCalls, type MemberFields } from '../engine/masking.js';
import type { MaskingRecipe } from '../engine/masking-recipe.js';
import type { TextMasker } from '../engine/text-masker.js';
import type { LoopTurn } from './loop-turn.js';
import type { MaskingThreads } from './masking-threads.js';

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

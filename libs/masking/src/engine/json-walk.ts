import { memberNames, noteNames } from '@spandrel/contract';
import type { TextMasker } from './text-masker.js';

/** Names of members by which Spandrel and its clients know what is what: they hold no value and stay. */
const STRUCTURE: ReadonlySet<string> = new Set(
  (
    'arguments attributes content events expected expected_output actual_output finish_reason function id index input ' +
    'messages metadata model name otel output parts provider request resource role scope score text tool_call_id ' +
    'tool_calls type links error'
  ).split(' '),
);

type Maybe = TextMasker | undefined;

/** Members of the outermost object that stay by their name, and what masks the value of each. */
export type KnownMembers = ReadonlyMap<string, Maybe>;

/** A text that the walk cannot go on without. */
export interface AwaitedText {
  readonly text: string;
  readonly masker: TextMasker;
}

/** A number of JSON of so many characters is masked as a whole where a rule looks at numbers. */
const NUMBER_LENGTH_MAX = 1_000;

/** Steps of rules between two looks at the clock, some 0.1 ms, and what a value counts beside what its text takes. */
const STEPS_A_LOOK = 4_096;
const STEPS_OF_VALUE = 64;

/** Members of an object whose copy is made as they are met; a smaller one is copied when the first of them has changed. */
const LARGE_OBJECT = 1_024;

interface Frame {
  readonly source: readonly unknown[] | Readonly<Record<string, unknown>>;
  /** `null` for a list. */
  readonly names: readonly string[] | null;
  readonly masker: Maybe;
  readonly known: KnownMembers | undefined;
  at: number;
  /** The masked name of the member at `at`, once it is known. */
  named: string | undefined;
  isChanged: boolean;
  /** Masked values so far, of a list; made with the first change. */
  list: unknown[] | undefined;
  /** Masked members so far, of an object. */
  members: [name: string, value: unknown][] | undefined;
  /** The object that is made of them, and how many it has. */
  made: Record<string, unknown> | undefined;
  built: number;
  /** Names that it has, and the number that the last one of the same name got. */
  taken: Map<string, number> | undefined;
}

/**
 * Masks a JSON value step by step: its texts, its numbers where a rule looks at them, and names of members that hold a value. What has
 * none is given back by reference; nothing is changed in place, and own `__proto__` members survive. It may be left whenever enough
 * time has passed, and goes on where it was.
 */
export class JsonWalk {
  private readonly frames: Frame[] = [];
  private steps = 0;
  private waiting: AwaitedText | undefined;
  private isName = false;
  private outcome: unknown;

  /**
   * @param mask masks a text at once, or says `undefined`: the walk stops there, until it is given what became of the text.
   * @param known of the value itself, where it is an object.
   */
  constructor(
    value: unknown,
    masker: Maybe,
    private readonly mask: (masker: TextMasker, text: string) => string | undefined,
    known?: KnownMembers,
  ) {
    this.enter(value, masker, known);
  }

  get result(): unknown {
    return this.outcome;
  }

  get awaited(): AwaitedText | undefined {
    return this.waiting;
  }

  give(masked: string): void {
    this.waiting = undefined;
    this.putText(masked);
  }

  /**
   * Goes on.
   * @param isOver asked now and then whether to leave.
   * @returns whether it has ended; otherwise it was left, or waits for {@link awaited}.
   */
  run(isOver: () => boolean): boolean {
    while (this.frames.length > 0) {
      if (this.waiting) return false;
      this.step(this.frames.at(-1)!);
      this.steps += STEPS_OF_VALUE;
      if (this.steps >= STEPS_A_LOOK) {
        this.steps = 0;
        if (isOver()) return false;
      }
    }
    return !this.waiting;
  }

  private step(frame: Frame): void {
    const { source, names, masker, known, at } = frame;
    if (names === null) {
      const list = source as readonly unknown[];
      if (at < list.length) this.enter(list[at], masker);
      else this.leave(frame.list ?? list);
      return;
    }
    if (at >= names.length) {
      if (!frame.isChanged) this.leave(source);
      else if (frame.built < frame.members!.length) build(frame);
      else {
        if (frame.built > 8 * LARGE_OBJECT) noteNames(frame.made!);
        this.leave(frame.made!);
      }
      return;
    }
    const name = names[at]!;
    if (known?.has(name)) {
      frame.named = name;
      this.enter((source as Record<string, unknown>)[name], known.get(name));
    } else if (frame.named === undefined) {
      this.isName = true;
      if (!masker || STRUCTURE.has(name)) this.putText(name);
      else this.maskText(name, masker);
    } else {
      this.enter((source as Record<string, unknown>)[name], masker);
    }
  }

  /** Masks a value at once, or begins with what is in it. */
  private enter(value: unknown, masker: Maybe, known?: KnownMembers): void {
    if (!masker && !known) return this.put(value);
    if (typeof value === 'string') return masker ? this.maskText(value, masker) : this.put(value);
    if (typeof value === 'number')
      return this.put(masker?.masksNumbers ? this.maskNumber(value, String(value), masker) : value);
    if (typeof value !== 'object' || value === null) return this.put(value);
    if (JSON.isRawJSON(value)) {
      const { rawJSON } = value as { rawJSON: string };
      return this.put(masker?.masksNumbers ? this.maskNumber(value, rawJSON, masker) : value);
    }
    const names = Array.isArray(value) ? null : memberNames(value);
    const members = names && names.length > LARGE_OBJECT ? [] : undefined;
    this.frames.push({
      ...{ source: value as Frame['source'], names, masker, known, at: 0, named: undefined, isChanged: false },
      ...{ list: undefined, members, made: undefined, built: 0, taken: undefined },
    });
  }

  private maskText(text: string, masker: TextMasker): void {
    this.steps += text.length * masker.work;
    const masked = this.mask(masker, text);
    if (masked === undefined) this.waiting = { text, masker };
    else this.putText(masked);
  }

  private maskNumber(value: unknown, written: string, masker: TextMasker): unknown {
    this.steps += written.length * masker.work;
    return (written.length > NUMBER_LENGTH_MAX ? masker.maskWhole() : masker.maskNumber(written)) ?? value;
  }

  /** A masked text goes where it was: it is the name of a member, or a value. */
  private putText(masked: string): void {
    if (!this.isName) return this.put(masked);
    this.isName = false;
    this.frames.at(-1)!.named = masked;
  }

  private leave(value: unknown): void {
    this.frames.pop();
    this.put(value);
  }

  private put(value: unknown): void {
    const frame = this.frames.at(-1);
    if (!frame) {
      this.outcome = value;
      return;
    }
    if (frame.names === null) putItem(frame, value);
    else putMember(frame, value);
    frame.at++;
    frame.named = undefined;
  }
}

function putItem(frame: Frame, value: unknown): void {
  const list = frame.source as readonly unknown[];
  if (value !== list[frame.at]) (frame.list ??= [...list])[frame.at] = value;
}

function putMember(frame: Frame, value: unknown): void {
  const source = frame.source as Readonly<Record<string, unknown>>;
  const names = frame.names!;
  const name = names[frame.at]!;
  frame.isChanged ||= value !== source[name] || frame.named !== name;
  if (frame.isChanged) frame.members ??= names.slice(0, frame.at).map((before) => [before, source[before]]);
  frame.members?.push([frame.named!, value]);
}

/** Adds the next member to the object that is made; members whose names became equal are distinguished by a number. */
function build(frame: Frame): void {
  frame.made ??= {};
  const taken = (frame.taken ??= new Map());
  const [name, value] = frame.members![frame.built++]!;
  let own = name;
  let count = taken.get(name) ?? 1;
  while (taken.has(own)) own = `${name} ${++count}`;
  taken.set(name, count);
  if (own !== name) taken.set(own, 1);
  if (own === '__proto__') {
    Object.defineProperty(frame.made, own, { value, enumerable: true, configurable: true, writable: true });
  } else {
    frame.made[own] = value;
  }
}

const never = (): boolean => false;

/** A JSON value masked at once, see {@link JsonWalk}. */
export function maskJson(value: unknown, masker: Maybe, known?: KnownMembers): unknown {
  const walk = new JsonWalk(value, masker, (own, text) => own.mask(text), known);
  walk.run(never);
  return walk.result;
}

/** What a pattern takes, as far as its text says; never less than it does. */
export interface PatternSize {
  /** Steps of its program, repetitions written out: a text takes as many times that at most as it has characters. */
  readonly steps: number;
  /** What is read of its classes before that; letters of a script count five, wide ranges that ignore case by their width. */
  readonly classes: number;
}

/** Steps of a group beside what is in it: where it begins and where it ends. */
const GROUP_STEPS = 2;
/** What one class of Unicode (`\pL`) costs, and how many characters of a range cost one where letters are folded. */
const UNICODE_CLASS = 5;
const FOLDED_CHARACTERS = 250;
/** Beyond this character nothing has another case. */
const LAST_FOLDED = 0x1ffff;

const REPETITION = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const FLAGS = /\?(?:P?<[^>]*>|[a-zA-Z-]*:|<?[=!])|\?[a-zA-Z-]*(?=\))/y;
const CODE = /\\(?:x\{([0-9a-f]{1,8})\}|x([0-9a-f]{2})|([0-7]{1,3}))/iy;
const UNICODE = /\\[pP](?:\{[^}]*\}|.)/suy;
const ESCAPE = /\\./suy;
const NAMED_CLASS = /\[:[^\]]*?:\]/y;
const CHARACTER = /./suy;

/** How many steps a pattern may have, and what its classes may count: some 20 ms to compile, 60 µs for a character of a text. */
const STEPS_MAX = 2_000;
const CLASSES_MAX = 1_000;

/**
 * Sees to it that a pattern of somebody else's may be compiled. @returns its size.
 * @throws Error saying that it is too large; a fault of its syntax is left to who compiles it.
 */
export function assertPatternSize(pattern: string, ignoreCase: boolean): PatternSize {
  const size = patternSize(pattern, ignoreCase);
  if (size.steps > STEPS_MAX) {
    throw new Error(
      `the pattern has ${size.steps} steps with its repetitions written out, and may have ${STEPS_MAX}; use fewer or shorter repetitions`,
    );
  }
  if (size.classes > CLASSES_MAX) {
    throw new Error(
      'the pattern has too many classes of Unicode, or too wide ones that ignore case; use fewer or narrower ones',
    );
  }
  return size;
}

/**
 * Measures a pattern in the syntax of RE2 without compiling it: to compile one writes its repetitions out, so that a short one may
 * become millions of steps. A pattern that RE2 refuses has any size.
 */
export function patternSize(pattern: string, ignoreCase: boolean): PatternSize {
  return new Measurement(pattern, ignoreCase || /\(\?[a-zA-Z-]*i/.test(pattern)).size();
}

class Measurement {
  private at = 0;
  private classes = 0;
  /** Steps of each open group, and of the last thing in it, which a repetition behind it repeats. */
  private readonly groups = [{ steps: 0, last: 0 }];

  constructor(
    private readonly pattern: string,
    private readonly folds: boolean,
  ) {}

  size(): PatternSize {
    while (this.at < this.pattern.length) this.step();
    while (this.groups.length > 1) this.close();
    const [{ steps, last }] = this.groups as [{ steps: number; last: number }];
    // A match, and what fails.
    return { steps: steps + last + 2, classes: this.classes };
  }

  private step(): void {
    const sign = this.pattern[this.at]!;
    if (sign === '(') this.open();
    else if (sign === ')') this.skip(1, () => this.close());
    else if (sign === '[') this.put(1, () => this.readClass());
    else if (sign === '*' || sign === '+' || sign === '?') this.skip(1, () => this.repeat(1, 2));
    else if (sign === '|') this.put(1, () => void this.at++);
    else if (sign === '{' && this.take(REPETITION)) this.repeatTo(this.matched!);
    else if (this.pattern.startsWith('\\Q', this.at)) this.readQuoted();
    else if (this.take(UNICODE)) this.put(1, () => void (this.classes += UNICODE_CLASS));
    else this.put(1, () => void (this.take(CODE) ?? this.take(ESCAPE) ?? this.take(CHARACTER) ?? this.at++));
  }

  private matched: RegExpExecArray | null = null;

  /** Reads on where the pattern (sticky) matches here. */
  private take(pattern: RegExp): true | undefined {
    pattern.lastIndex = this.at;
    this.matched = pattern.exec(this.pattern);
    if (!this.matched) return undefined;
    this.at += this.matched[0].length;
    return true;
  }

  private skip(length: number, then: () => void): void {
    this.at += length;
    then();
  }

  /** Something of so many steps, which a repetition behind it would repeat. */
  private put(steps: number, read: () => void): void {
    const group = this.groups.at(-1)!;
    group.steps += group.last;
    group.last = steps;
    read();
  }

  private open(): void {
    this.at++;
    this.groups.push({ steps: 0, last: 0 });
    this.take(FLAGS);
  }

  private close(): void {
    const inner = this.groups.length > 1 ? this.groups.pop()! : { steps: 0, last: 0 };
    this.put(inner.steps + inner.last + GROUP_STEPS, () => undefined);
  }

  private repeatTo([, min, max]: RegExpExecArray): void {
    this.repeat(Math.max(Number(min), max ? Number(max) : 0, 1), 1);
  }

  /** @param own steps of the repetition itself, each time. */
  private repeat(times: number, own: number): void {
    const group = this.groups.at(-1)!;
    group.last = times * (group.last + own) + own;
  }

  private readQuoted(): void {
    const end = this.pattern.indexOf('\\E', this.at + 2);
    const quoted = this.pattern.slice(this.at + 2, end === -1 ? undefined : end);
    this.at = end === -1 ? this.pattern.length : end + 2;
    for (const _character of quoted) this.put(1, () => undefined);
  }

  private readClass(): void {
    this.at++;
    if (this.pattern[this.at] === '^') this.at++;
    this.classes++;
    for (let isFirst = true; this.at < this.pattern.length; isFirst = false) {
      if (this.pattern[this.at] === ']' && !isFirst) break;
      this.readRange();
    }
    this.at++;
  }

  private readRange(): void {
    const from = this.readMember();
    if (this.pattern[this.at] !== '-' || this.at + 1 >= this.pattern.length || this.pattern[this.at + 1] === ']')
      return;
    this.at++;
    const to = this.readMember();
    this.classes += 1 + (this.folds ? Math.max(0, Math.min(to, LAST_FOLDED) - from) / FOLDED_CHARACTERS : 0);
  }

  /** @returns the character that stands here in a class; the first one for a class in it. */
  private readMember(): number {
    if (this.take(NAMED_CLASS)) return 0;
    if (this.take(UNICODE)) {
      this.classes += UNICODE_CLASS;
      return 0;
    }
    if (this.take(CODE)) {
      const [, braced, two, octal] = this.matched!;
      return octal === undefined ? Number.parseInt(braced ?? two!, 16) : Number.parseInt(octal, 8);
    }
    if (this.take(ESCAPE)) return this.matched![0].codePointAt(1)!;
    this.take(CHARACTER);
    return this.matched?.[0].codePointAt(0) ?? 0;
  }
}

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

const UNICODE = String.raw`\\[pP](?:\{[^\\}]*\}|.)`;
const CODE = String.raw`\\x\{[0-9a-fA-F]{1,8}\}|\\x[0-9a-fA-F]{2}|\\[0-7]{1,3}`;
const FLAGS = String.raw`\?(?:P?<\w*>|[a-zA-Z-]*:|<?[=!])|\?[a-zA-Z-]*(?=\))`;
/** The signs of a pattern in the syntax of RE2, whose patterns are short: a quotation, a class, a group, a repetition, a character. */
const SIGN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    `(?<unicode>${UNICODE})`,
    String.raw`${CODE}|\\.`,
    String.raw`\[\^?(?<members>\]?(?:\[:\^?[a-z]{1,10}:\]|\\.|[^\\\]])*)\]?`,
    String.raw`(?<open>\()(?:${FLAGS})?`,
    String.raw`\{(?<least>\d{1,9})(?:,(?<most>\d{0,9}))?\}`,
    '.',
  ].join('|'),
  'gsu',
);
const MEMBER = String.raw`\[:\^?[a-z]{1,10}:\]|${UNICODE}|${CODE}|\\?.`;
/** A member of a class, or two with a hyphen between them. */
const RANGE = new RegExp(`(?<from>${MEMBER})(?:-(?<to>${MEMBER}))?`, 'gsu');

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
  const folds = ignoreCase || /\(\?[a-zA-Z-]*i/.test(pattern);
  let classes = 0;
  /** Steps of each open group, and of the last thing in it, which a repetition behind it repeats. */
  const groups = [{ steps: 0, last: 0 }];
  const put = (steps: number): void => {
    const group = groups.at(-1)!;
    group.steps += group.last;
    group.last = steps;
  };
  const close = (): void => {
    const { steps, last } = groups.length > 1 ? groups.pop()! : { steps: 0, last: 0 };
    put(steps + last + GROUP_STEPS);
  };
  /** @param own steps of the repetition itself, each time. */
  const repeat = (times: number, own: number): void => {
    const group = groups.at(-1)!;
    group.last = times * (group.last + own) + own;
  };
  for (const { 0: sign, groups: found } of pattern.matchAll(SIGN)) {
    const { quoted, unicode, members, open, least, most } = found!;
    if (open !== undefined) groups.push({ steps: 0, last: 0 });
    else if (sign === ')') close();
    else if (sign === '*' || sign === '+' || sign === '?') repeat(1, 2);
    else if (least !== undefined) repeat(Math.max(Number(least), Number(most ?? 0), 1), 1);
    else if (quoted !== undefined) for (const _character of quoted) put(1);
    else put(1);
    if (unicode !== undefined) classes += UNICODE_CLASS;
    if (members !== undefined) classes += classesOf(members, folds);
  }
  while (groups.length > 1) close();
  const [{ steps, last }] = groups as [{ steps: number; last: number }];
  // A match, and what fails.
  return { steps: steps + last + 2, classes };
}

function classesOf(members: string, folds: boolean): number {
  let classes = 1;
  for (const { groups } of members.matchAll(RANGE)) {
    const { from, to } = groups as { from: string; to?: string };
    for (const member of [from, to ?? '']) if (/^\\p/i.test(member)) classes += UNICODE_CLASS;
    if (to === undefined) continue;
    const width = Math.max(0, Math.min(characterOf(to), LAST_FOLDED) - characterOf(from));
    classes += 1 + (folds ? width / FOLDED_CHARACTERS : 0);
  }
  return classes;
}

/** The character that a member of a class is; the first one for a class in it. */
function characterOf(member: string): number {
  if (/^(?:\[:|\\p)/i.test(member)) return 0;
  const [, hex, octal] = /^\\(?:x\{?([0-9a-fA-F]+)\}?|([0-7]+))$/.exec(member) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return octal === undefined ? member.replace(/^\\(?=.)/s, '').codePointAt(0)! : Number.parseInt(octal, 8);
}

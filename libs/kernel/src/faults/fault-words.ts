import { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Words for faults of schemas, read after a name: `name` "is required". A schema's own messages beat these. */
function faultWords(issue: RawIssue): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? `of the type ${issue.expected}`}${butWas(issue.expected, issue.input)}`;
    case 'invalid_value':
      return `must be ${alternatives(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : bound(issue.origin, 'at least', issue.minimum, issue.inclusive, 'more than');
    case 'too_big':
      return bound(issue.origin, 'at most', issue.maximum, issue.inclusive, 'less than');
    case 'invalid_union':
      return unionWords(issue.errors);
    default:
      return undefined;
  }
}

/** Makes all schemas say their faults in these words from now on, wherever they are checked. */
export function useFaultWords(): void {
  z.config({ customError: faultWords });
}

/** Shows the type that came, where it is another one; numbers that are kept as their source text are numbers. */
function butWas(expected: string, input: unknown): string {
  if (input === null) return ', not null';
  if (Array.isArray(input)) return ', not a list';
  if (typeof input === 'boolean') return `, not ${input}`;
  const type = JSON.isRawJSON(input) ? 'number' : typeof input;
  // A number that is no whole one, or no finite one, is a number all the same.
  const isNumber = type === 'number' && ['number', 'int'].includes(expected);
  return TYPES[type] === undefined || isNumber ? '' : `, not ${TYPES[type]}`;
}

function bound(
  origin: string,
  words: string,
  limit: number | bigint,
  inclusive: boolean | undefined,
  strictWords: string,
): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'item' : undefined;
  const measure = `${inclusive === false ? strictWords : words} ${limit}`;
  return unit === undefined ? `must be ${measure}` : `must have ${measure} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

/** What a value may be, when every form that it may have is a word; nothing more exact otherwise. */
function unionWords(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const forms = errors.map(([issue]) => (issue?.path.length === 0 ? issue.message : 'must be of another form'));
  const distinct = [...new Set(forms)].map((form) => form.replace(/^must be /, '').replace(/, not [^,]*$/, ''));
  return distinct.includes('of another form')
    ? 'has none of the forms that it may have'
    : `must be ${alternatives(distinct)}`;
}

const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)!}`;

import { type FieldError, dottedPath } from '@spandrel/contract';
import { z } from 'zod';
import { Invalid } from '../errors.js';
import { nearestName } from '../nearest-name.js';

/** Faults listed in one answer; a hostile body could make millions, so that makers of faults may stop beyond these. */
export const FAULTS_MAX = 100;

/** Longest name that is repeated in an answer, in UTF-16 units; names are what the caller sent. */
const NAME_LENGTH_MAX = 100;

/**
 * 400 `validation_failed` whose detail is the first fault: `name is required, and 2 more faults (see errors)`.
 * @param faults at least one, messages to be read after the path. @param whole what a fault without a path is about.
 */
export function invalidRequest(faults: readonly FieldError[], whole = 'the body'): Invalid {
  const shown = faults.slice(0, FAULTS_MAX).map(({ path, message }) => ({ path: clipped(path), message }));
  const [{ path, message }] = shown as [FieldError, ...FieldError[]];
  const others = faults.length - 1;
  const many = others >= FAULTS_MAX ? `more than ${FAULTS_MAX - 1}` : `${others} more`;
  const more = others === 0 ? '' : `, and ${many} ${others === 1 ? 'fault' : 'faults'} (see errors)`;
  return new Invalid('validation_failed', `${path === '' ? whole : quoted(path)} ${message}${more}`, shown);
}

const clipped = (path: string): string =>
  path.length > NAME_LENGTH_MAX ? `${path.slice(0, NAME_LENGTH_MAX).toWellFormed()}…` : path.toWellFormed();

const quoted = (path: string): string => (/^[\w.[\]-]+$/.test(path) ? path : JSON.stringify(path));

/** Words for an unknown name: `FAULT; did you mean "model"?`, or all known names. @param fault what the name is not. */
export function unknownName(fault: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `${fault}; did you mean ${JSON.stringify(nearest)}?`;
  return `${fault}, which takes ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** What a schema found wrong; a member that an object does not take is a fault of its own, with the nearest name. */
export function schemaFaults(error: z.ZodError, schema: z.ZodType): FieldError[] {
  return error.issues.slice(0, FAULTS_MAX + 1).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return { path: dottedPath(issue.path), message: issue.message };
    const known = knownAt(knownMembers(schema), issue.path)?.members.keys() ?? [];
    const names = [...known];
    return issue.keys.slice(0, FAULTS_MAX + 1).map((name) => ({
      path: dottedPath([...issue.path, name]),
      message: unknownName('is not a member of this object', name, names),
    }));
  });
}

/** The members that an object takes, or those of each object of a list. */
export interface KnownMembers {
  /** By name; a member that is an object with known members itself has these. */
  readonly members: ReadonlyMap<string, KnownMembers | undefined>;
  readonly isList: boolean;
}

export const NO_MEMBERS: KnownMembers = { members: new Map(), isList: false };

/** @returns `undefined` for a schema that is no object, and for an object that takes any member. */
export function knownMembers(schema: z.core.$ZodType): KnownMembers | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    const item = knownMembers(inner.element);
    return item && !item.isList ? { members: item.members, isList: true } : undefined;
  }
  if (!(inner instanceof z.ZodObject) || takesAny(inner)) return undefined;
  const shape = Object.entries(inner.shape as Record<string, z.core.$ZodType>);
  return { members: new Map(shape.map(([name, member]) => [name, knownMembers(member)])), isList: false };
}

/** The object that a schema takes, within what changes it before it is checked; `undefined` for a schema of something else. */
export function objectOf(schema: z.core.$ZodType): z.ZodObject | undefined {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? inner : undefined;
}

function knownAt(known: KnownMembers | undefined, path: readonly PropertyKey[]): KnownMembers | undefined {
  return path.reduce<KnownMembers | undefined>(
    (at, key) => (typeof key === 'number' ? at : at?.members.get(String(key))),
    known,
  );
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (schema instanceof z.ZodUnknown) {
    const { describedBy } = (schema.meta() ?? {}) as { describedBy?: z.core.$ZodType };
    return describedBy ?? schema;
  }
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? unwrapped(innerType) : schema;
}

const takesAny = ({ def }: z.ZodObject): boolean => def.catchall !== undefined && !(def.catchall instanceof z.ZodNever);

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

const REQUIRED: ReadonlySet<unknown> = new Set(['invalid_type', 'invalid_value', 'invalid_union']);

/** Words for faults of schemas, read after a name: `name` "is required". A schema's own messages beat these. */
export function faultWords(issue: RawIssue): string | undefined {
  if (issue.input === undefined && REQUIRED.has(issue.code)) return 'is required';
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

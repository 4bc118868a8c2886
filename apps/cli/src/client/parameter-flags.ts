import { gatheredPrefix } from '@spandrel/contract';
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { UsageFault } from './exit-codes.js';

/**
 * Flags made from the schema of a request (libs/contract), so that a command has every parameter that the API has:
 * `--name-contains <value>` of `name_contains`. What is given is checked by the same schema before anything is sent.
 */

/** Gathers the values of an option that may come often, for commander. */
export const collected = (value: string, before: string[] = []): string[] => [...before, value];

export function addParameterFlags(command: Command, schema: z.ZodObject): void {
  for (const [name, member] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    command.addOption(createFlag(name, member));
  }
}

/**
 * @param options those of the command.
 * @returns what was given, by the names of the API; texts as they were written, as a query has them, and numbers and
 *   booleans where the schema asks for such, as a body has them.
 * @throws UsageFault for a value that the schema refuses.
 */
export function readParameters(schema: z.ZodObject, options: object): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  const gathered: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const value: unknown = (options as Record<string, unknown>)[optionName(name)];
    if (value === undefined) continue;
    const prefix = gatheredPrefix(member);
    if (prefix === undefined) given[name] = readParameter(name, member, value);
    else {
      const pairs = (value as string[]).map((pair) => readPair(name, pair));
      Object.assign(gathered, Object.fromEntries(pairs.map(([key, text]) => [`${prefix}${key}`, text])));
    }
  }
  const { error } = schema.safeParse(given);
  if (error) {
    const faults = error.issues.map(({ path, message }) => {
      const name = String(path[0] ?? '');
      return `${flagName(name)}: ${isTime(name) ? `must be ${TIMES}` : message}`;
    });
    throw new UsageFault([...new Set(faults)].join('\n'));
  }
  return { ...given, ...gathered };
}

/** `environment=production` as name and value. @throws UsageFault for a text without a name or `=`. */
function readPair(name: string, pair: string): [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
  if (key === undefined) throw new UsageFault(`${flagName(name)}: "${pair}" is not KEY=VALUE`);
  return [key, value!];
}

/** `name_contains` becomes `--name-contains`. */
const flagName = (name: string): string => `--${name.replaceAll('_', '-')}`;

/** The name that commander gives the value of a flag. */
const optionName = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

function createFlag(name: string, member: z.ZodType): Option {
  const inner = unwrap(member);
  if (inner instanceof z.ZodBoolean) return new Option(flagName(name), description(name, member));
  const isGathered = gatheredPrefix(member) !== undefined;
  const value = isGathered ? 'key=value' : placeholder(name, inner);
  const option = new Option(`${flagName(name)} <${value}>`, description(name, member));
  if (isGathered || isRepeatable(member)) option.argParser(collected);
  return option;
}

const placeholder = (name: string, inner: z.ZodType): string => {
  if (isTime(name)) return 'time';
  return inner instanceof z.ZodEnum ? inner.options.join('|') : 'value';
};

function description(name: string, member: z.ZodType): string {
  const said = findDescription(member) ?? '';
  if (!isTime(name)) return said;
  return `${said.replace(/\.$/, '')}${said === '' ? '' : '; '}${TIMES}`;
}

/** A description stands on any of the layers that make a member optional or give it a default. */
function findDescription(member: z.ZodType): string | undefined {
  if (member.description !== undefined) return member.description;
  return isLayer(member) ? findDescription(member.unwrap() as z.ZodType) : undefined;
}

const unwrap = (member: z.ZodType): z.ZodType => (isLayer(member) ? unwrap(member.unwrap() as z.ZodType) : member);

const isLayer = (member: z.ZodType): member is z.ZodOptional | z.ZodNullable | z.ZodDefault =>
  member instanceof z.ZodOptional || member instanceof z.ZodNullable || member instanceof z.ZodDefault;

/** A query parameter that takes a list may be repeated; no other takes one. */
function isRepeatable(member: z.ZodType): boolean {
  const inner = unwrap(member);
  return (inner instanceof z.ZodPipe && inner.out instanceof z.ZodArray) || member.safeParse(['a', 'b']).success;
}

const TIMES = 'ISO 8601, or so long ago: 30m, 24h, 7d';

const isTime = (name: string): boolean => name === 'since' || name === 'until';

function readParameter(name: string, member: z.ZodType, value: unknown): unknown {
  if (isTime(name)) return timeOf(value as string);
  if (unwrap(member) instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(value as string)) return Number(value);
  return value;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `24h` is the moment a day ago; everything else is left to the schema. */
function timeOf(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  return unit === undefined ? text : new Date(Date.now() - Number(amount) * UNITS_MS[unit]!).toISOString();
}

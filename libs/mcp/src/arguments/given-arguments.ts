import type { JsonSchema } from './argument-schema.js';

type Arguments = Readonly<Record<string, unknown>>;

interface GivenArguments {
  args: Arguments;
  /** Names of those that were given as an empty text, and count as left out. */
  empty: string[];
}

const NUMBER = /^-?(0|[1-9]\d{0,20})(\.\d{1,20})?$/;

/**
 * Arguments as agents mean them: some send every value as a text, and fill in all filters that a tool has, those that they have
 * no use for with `null` or an empty text.
 * @param inputSchema the arguments of the tool.
 * @param isFilter whether an empty text says nothing; of tools that write it may be a value.
 */
export function readArguments(given: Arguments, inputSchema: JsonSchema, isFilter: boolean): GivenArguments {
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const args: Record<string, unknown> = {};
  const empty: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const types = typesOf(Object.hasOwn(properties, name) ? properties[name]! : {});
    const isOptional = types.length > 0 && !required.includes(name);
    if (value === '' && isOptional && (isFilter || !types.includes('string'))) empty.push(name);
    else args[name] = typeof value === 'string' ? readText(value, types) : value;
  }
  return { args, empty };
}

/** The types that a schema allows; none where it allows all. */
function typesOf({ type, anyOf }: JsonSchema): string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(anyOf) ? anyOf.flatMap((form) => typesOf(form as JsonSchema)) : [];
}

/** @returns what a text stands for where a text is not allowed: a number, a truth value, a list, an object; else itself. */
function readText(text: string, types: readonly string[]): unknown {
  if (types.includes('string')) return text;
  const trimmed = text.trim();
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(trimmed)) return Number(trimmed);
  if (types.includes('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  const isList = types.includes('array') && trimmed.startsWith('[');
  return isList || (types.includes('object') && trimmed.startsWith('{')) ? parsed(trimmed, text) : text;
}

function parsed(json: string, otherwise: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return otherwise;
  }
}

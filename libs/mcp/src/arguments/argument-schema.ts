import { z } from 'zod';
import { numberOf } from '@spandrel/contract';

export type JsonSchema = { [keyword: string]: unknown };

/** What the meta of a schema of the API says of how it is shown, where code alone decides what is valid. */
interface Shown {
  openapi?: JsonSchema;
  describedBy?: z.ZodType;
}

/** Keywords that agents have no use for; each tool is read by every agent in every conversation. */
const DROPPED = new Set([
  ...['$schema', 'id', 'example', 'title', 'openapi', 'describedBy', 'gathers', '~standard'],
  // The API says what is wrong with a text.
  ...['pattern', 'minLength', 'maxLength', 'propertyNames'],
]);

/** What stays of a schema that its meta replaces. */
const KEPT = new Set(['description', 'default']);

/** The JSON Schema (2020-12) of arguments as agents read it: without references, and without `null` for what is left out. */
export function argumentSchema(schema: z.ZodType): JsonSchema {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => replace(zodSchema, jsonSchema as JsonSchema),
  }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
  return tidy(root, $defs) as JsonSchema;
}

function replace(schema: z.core.$ZodType, json: JsonSchema): void {
  const { openapi, describedBy } = (z.globalRegistry.get(schema) ?? {}) as Shown;
  const shown = openapi ?? (describedBy && argumentSchema(describedBy));
  if (!shown) return;
  for (const keyword of Object.keys(json)) if (!KEPT.has(keyword)) delete json[keyword];
  const { description, ...others } = shown;
  Object.assign(json, others, json['description'] === undefined && description !== undefined ? { description } : {});
}

/** Keywords whose values are schemas by name. */
const BY_NAME = new Set(['properties', 'patternProperties']);

/** Keywords whose values are data. */
const DATA = new Set(['enum', 'const', 'default', 'required']);

type Definitions = Readonly<Record<string, JsonSchema>>;

function tidy(value: unknown, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((each) => tidy(each, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as JsonSchema;
  if (typeof $ref === 'string') {
    return tidy({ ...definitions[$ref.replace('#/$defs/', '')], ...own }, definitions);
  }
  const schema: JsonSchema = {};
  for (const [keyword, member] of Object.entries(own)) {
    if (DROPPED.has(keyword)) continue;
    if (DATA.has(keyword)) schema[keyword] = member;
    else
      schema[keyword] = BY_NAME.has(keyword) ? tidyEach(member as Definitions, definitions) : tidy(member, definitions);
  }
  return withoutNull(schema);
}

const tidyEach = (schemas: Definitions, definitions: Definitions): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema, definitions)]));

function withoutNull({ type, anyOf, ...rest }: JsonSchema): JsonSchema {
  const others = {
    ...(type !== undefined && { type: Array.isArray(type) ? type.find((each) => each !== 'null') : type }),
    ...rest,
  };
  if (!Array.isArray(anyOf)) return others;
  const forms = (anyOf as JsonSchema[]).filter(({ type }) => type !== 'null');
  return forms.length === 1 ? { ...forms[0], ...others } : { ...others, anyOf: forms };
}

interface NumberArgument {
  min: number;
  max: number;
  /** Shown to agents; the tool takes it when the argument is left out. */
  default?: number;
  description: string;
}

/** An optional whole number among the arguments; one with more digits than a double has counts as the double. */
export const numberArgument = ({ min, max, default: usual, description }: NumberArgument) =>
  z
    .preprocess((value) => numberOf(value) ?? value, z.number().int().min(min).max(max))
    .optional()
    .meta({ description, ...(usual !== undefined && { default: usual }) });

/** How long an answer may be, in UTF-16 units (docs/spec/mcp.md#size-of-answers). */
export const MAX_CHARS_DEFAULT = 20_000;
export const MAX_CHARS_MIN = 2_000;
export const MAX_CHARS_MAX = 100_000;

export const maxCharsArgument = numberArgument({
  min: MAX_CHARS_MIN,
  max: MAX_CHARS_MAX,
  default: MAX_CHARS_DEFAULT,
  description: 'Characters of the answer at most.',
});

import { z } from 'zod';

/** Page sizes of the lists (docs/spec/general.md#page-size). */
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 1_000;

/** A number in a query string; parses to the number. */
export const queryNumberSchema = z
  .string()
  .regex(/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/, 'must be a number')
  .transform(Number)
  .pipe(z.number())
  .meta({ openapi: { type: 'number' } });

/** Answer of a delete (docs/spec/general.md#status-codes). */
export const deletedSchema = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'Deleted' });
export type Deleted = z.output<typeof deletedSchema>;

/** `limit` of a list. @param limitDefault taken when the parameter is absent. */
export const limitSchema = (limitDefault: number = PAGE_LIMIT_DEFAULT) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.number().min(1).max(PAGE_LIMIT_MAX))
    .meta({
      openapi: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: limitDefault },
      description: 'Items of a page; a page of large items may end before.',
    })
    .default(limitDefault);

export const cursorSchema = z.string().max(8_192).describe('`next_cursor` of the page before.');

/** What a list takes to be read page by page. @param limitDefault as {@link limitSchema} has it. */
export const paging = (limitDefault?: number) => ({
  limit: limitSchema(limitDefault),
  cursor: cursorSchema.optional(),
});

/** The answer of a list (docs/spec/general.md#lists). @param id name of its schema in the OpenAPI document. */
export const listAnswer = <Plural extends string, Item extends z.ZodType, Others extends z.ZodRawShape = {}>(
  id: string,
  plural: Plural,
  item: Item,
  others: Others = {} as Others,
) =>
  z
    .object({
      ...others,
      ...({ [plural]: z.array(item) } as Record<Plural, z.ZodArray<Item>>),
      count: z.number().int().min(0).describe('Items in this answer.'),
      next_cursor: z.string().nullable().describe('What `cursor` takes for the next page; `null` on the last page.'),
    })
    .meta({ id });

/** A query parameter that may be repeated; parses to a list. @param max how often. */
export const repeatable = <T extends z.ZodType>(item: T, max = 64) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), z.array(item).max(max));

export const IDS_MAX = 200;

/** `ids` of a list: these objects alone, as far as they are there (docs/spec/general.md#lists). */
export const idsSchema = repeatable(z.string(), IDS_MAX).describe(
  `Lists the objects with these ids alone. May be repeated, up to ${IDS_MAX} times.`,
);

/** What a count counts up to; beyond it is only said that there are more (docs/spec/general.md#counts). */
export const COUNT_MAX = 10_000;

/** Answer of `GET /api/count/…`. */
export const countedSchema = z
  .object({
    count: z.number().int().min(0).max(COUNT_MAX),
    exact: z.boolean().describe(`\`false\`: there are more than ${COUNT_MAX}.`),
  })
  .meta({ id: 'Counted' });
export type Counted = z.output<typeof countedSchema>;

/** `true` or `false` in a query string; parses to the boolean. */
export const queryBooleanSchema = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ openapi: { type: 'boolean' } });

/** A member that gathers parameters `NAME.KEY=VALUE`; the schema goes through {@link gatheringMembers}. */
export const gathered = <T extends z.ZodType>(name: string, value: T) =>
  z
    .record(z.string(), value)
    .optional()
    .meta({ gathers: `${name}.`, openapi: { type: 'object', additionalProperties: { type: 'string' } } });

/** The filter on metadata of a list: values by key, of which all must match (docs/spec/traces.md#metadata-filters). */
export const metadataFilterSchema = (what: string) =>
  gathered('metadata', z.string()).describe(
    `\`metadata.KEY=VALUE\`: ${what} with this value, or this JSON, as a member of their own metadata; may come for several keys.`,
  );

/** The beginning of the names of parameters that a member gathers; `undefined` for others. */
export const gatheredPrefix = (member: unknown): string | undefined =>
  member instanceof z.ZodType ? (member.meta() as { gathers?: string } | undefined)?.gathers : undefined;

/** A query schema whose {@link gathered} members are taken from the parameters whose names begin with theirs. */
export function gatheringMembers<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  const prefixes = Object.entries(schema.shape).flatMap(([name, member]) => {
    const prefix = gatheredPrefix(member);
    return prefix === undefined ? [] : [{ name, prefix }];
  });
  return z.preprocess((query) => prefixes.reduce(gather, query as Record<string, unknown>), schema);
}

function gather(query: Record<string, unknown>, { name, prefix }: { name: string; prefix: string }) {
  const { [name]: _notGathered, ...others } = query;
  const of = Object.entries(others).filter(([key]) => key.startsWith(prefix));
  const found = Object.fromEntries(of.map(([key, value]) => [key.slice(prefix.length), value]));
  return of.length === 0 ? others : { ...others, [name]: found };
}

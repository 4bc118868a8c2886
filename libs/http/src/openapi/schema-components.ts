import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** Whether a schema is described as what callers send or as what they get: a default makes a member optional only there. */
export type Side = 'input' | 'output';

/** What a schema's `.meta()` shows in its place where code alone decides what is valid: `openapi` or a zod schema. */
interface Described {
  openapi?: OpenApiSchema;
  describedBy?: z.ZodType;
  id?: string;
}

/** What stays of a schema that its meta replaces. */
const KEPT = new Set(['description', 'example', 'title', 'nullable']);

/** The only value is `null`, as OpenAPI 3.0 says it. */
const NULL_ONLY: OpenApiSchema = { type: 'object', nullable: true, enum: [null] };

/** Makes OpenAPI 3.0 schemas from zod schemas, and keeps those with an `id` as components. */
export class SchemaComponents {
  readonly schemas: Record<string, OpenApiSchema> = {};
  private readonly made = { input: new Map<z.ZodType, OpenApiSchema>(), output: new Map<z.ZodType, OpenApiSchema>() };

  /** The schema as it stands in the document: a reference when it has an `id`. @throws Error where it cannot be shown. */
  schemaOf(schema: z.ZodType, side: Side): OpenApiSchema {
    const before = this.made[side].get(schema);
    if (before) return before;
    const made = this.make(schema, side);
    this.made[side].set(schema, made);
    return made;
  }

  private make(schema: z.ZodType, side: Side): OpenApiSchema {
    const unexplained = new Map<z.core.$ZodType, string>();
    const { definitions, ...root } = z.toJSONSchema(schema, {
      target: 'openapi-3.0',
      io: side,
      unrepresentable: ({ zodSchema, path }) => {
        if (![...lineage(zodSchema)].some(isReplaced)) unexplained.set(zodSchema, path.join('.'));
        return 'any';
      },
      override: ({ zodSchema, jsonSchema }) => {
        this.describe(zodSchema, jsonSchema as OpenApiSchema, side);
        if (isReplaced(zodSchema)) for (const original of lineage(zodSchema)) unexplained.delete(original);
      },
    }) as OpenApiSchema & { definitions?: Record<string, OpenApiSchema> };
    if (unexplained.size > 0) {
      throw new Error(
        `a schema is code alone, its meta must say how it is shown: ${[...unexplained.values()].join(', ')}`,
      );
    }
    for (const [id, definition] of Object.entries(definitions ?? {})) this.add(id, definition);
    delete root['~standard'];
    return tidy(root) as OpenApiSchema;
  }

  private add(id: string, schema: OpenApiSchema): void {
    const tidied = tidy(schema) as OpenApiSchema;
    const before = this.schemas[id];
    if (before && !isDeepStrictEqual(before, tidied)) throw new Error(`two schemas have the id "${id}"`);
    this.schemas[id] = tidied;
  }

  private describe(schema: z.core.$ZodType, json: OpenApiSchema, side: Side): void {
    const { openapi, describedBy } = described(schema);
    const replaced = isReplaced(schema);
    delete json['openapi'];
    delete json['describedBy'];
    delete json['gathers'];
    if (replaced) {
      for (const key of Object.keys(json)) if (!KEPT.has(key)) delete json[key];
      Object.assign(json, openapi ?? this.schemaOf(describedBy!, side));
    }
    if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum'];
    if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum'];
    // Members may be added to answers: only what is refused when sent is said to be closed.
    if (schema instanceof z.ZodObject && schema.def.catchall === undefined) delete json['additionalProperties'];
  }
}

const described = (schema: z.core.$ZodType): Described => (z.globalRegistry.get(schema) ?? {}) as Described;

function* lineage(schema: z.core.$ZodType | undefined): Generator<z.core.$ZodType> {
  for (; schema; schema = schema._zod.parent) yield schema;
}

/** Whether a schema is shown as its meta says; a copy (`.describe()`) of one with an `id` is a reference to it instead. */
function isReplaced(schema: z.core.$ZodType): boolean {
  const { openapi, describedBy } = described(schema);
  if ((openapi ?? describedBy) === undefined) return false;
  return ![...lineage(schema._zod.parent)].some((original) => described(original).id !== undefined);
}

/** Points references at the components, and says `null` as OpenAPI 3.0.3 understands it. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, tidy(member)]));
  if (typeof schema['$ref'] === 'string') {
    return { ...schema, $ref: schema['$ref'].replace('#/definitions/', '#/components/schemas/') };
  }
  if (schema['nullable'] === true) return nullable(schema);
  const [only, ...others] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return Object.keys(schema).length === 1 && only !== undefined && others.length === 0 ? only : schema;
}

/** `nullable` counts only beside a `type`, and a composition or an enumeration must list `null` too. */
function nullable({ nullable: _nullable, ...schema }: OpenApiSchema): OpenApiSchema {
  if (Array.isArray(schema['enum'])) {
    return { ...schema, nullable: true, enum: [...schema['enum'].filter((value) => value !== null), null] };
  }
  for (const composition of ['anyOf', 'oneOf']) {
    const branches = schema[composition];
    if (Array.isArray(branches)) return { ...schema, [composition]: [...branches, NULL_ONLY] };
  }
  const { allOf, ...others } = schema;
  if (Array.isArray(allOf)) return { ...others, anyOf: [...allOf, NULL_ONLY] };
  return schema['type'] === undefined ? schema : { ...schema, nullable: true };
}

export type OpenApiSchema = { [keyword: string]: unknown };

export interface OpenApiMedia {
  schema: OpenApiSchema;
  example?: unknown;
}

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: OpenApiSchema;
  style?: 'form';
  explode?: boolean;
  example?: unknown;
}

export interface OpenApiReference {
  $ref: string;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiReference>;
  content?: Record<string, OpenApiMedia>;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: OpenApiParameter[];
  requestBody?: { description?: string; required: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, OpenApiResponse | OpenApiReference>;
  security: Record<string, string[]>[];
}

/** The part of an OpenAPI 3.0 document that this service makes. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; url: string } };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, OpenApiSchema>;
    responses: Record<string, OpenApiResponse>;
    headers: Record<string, { description: string; schema: OpenApiSchema }>;
    securitySchemes: Record<string, OpenApiSchema>;
  };
}

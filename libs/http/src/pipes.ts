import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { numberOf, isStorableText } from '@spandrel/contract';
import { z } from 'zod';
import { invalidRequest, knownMembers, schemaFaults, type KnownMembers, type NotFound } from '@spandrel/kernel';
import { queryFaults } from './names/unknown-names.js';

/** Checks an argument against its zod schema. Unlike the pipe of Nest it keeps `__proto__` and is synchronous. @throws Invalid */
@Injectable()
export class SchemaPipe implements PipeTransform {
  transform(value: unknown, { schema, type }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    const parsed = schema.safeParse(type === 'body' ? bodyValue(value, schema) : value);
    if (parsed.success) return parsed.data;
    if (type === 'query') throw invalidRequest(queryFaults(parsed.error, schema, value), 'the query');
    throw invalidRequest(schemaFaults(parsed.error, schema));
  }
}

function bodyValue(value: unknown, schema: z.ZodType): unknown {
  if (value === undefined) return {};
  let known = membersOf.get(schema);
  if (known === undefined) membersOf.set(schema, (known = knownMembers(schema) ?? null));
  return known === null ? (numberOf(value) ?? value) : withNumbers(value, known);
}

/** By the schema of a body; `null` for one of something else than objects. */
const membersOf = new WeakMap<z.ZodType, KnownMembers | null>();

/** Has a number where an object is expected as a number: with its source text it would pass for an empty object. */
function withNumbers(value: unknown, { members, isList }: KnownMembers): unknown {
  if (isList) {
    const items: unknown[] = Array.isArray(value) ? value : [];
    for (const [at, item] of items.entries()) items[at] = withNumbers(item, { members, isList: false });
    return value;
  }
  const number = numberOf(value);
  if (number !== undefined || typeof value !== 'object' || value === null) return number ?? value;
  const object = value as Record<string, unknown>;
  for (const [name, within] of members) {
    if (within !== undefined && object[name] !== undefined) object[name] = withNumbers(object[name], within);
  }
  return object;
}

/** Lets an id in a path through that a column can hold. The OpenAPI document has the error among those of the route. */
export class PathId implements PipeTransform<string> {
  constructor(readonly notFound: () => NotFound) {}

  transform(id: string): string {
    if (!isStorableText(id)) throw this.notFound();
    return id;
  }
}

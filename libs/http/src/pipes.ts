import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { numberOf, isStorableText } from '@spandrel/contract';
import { z } from 'zod';
import { invalidRequest, schemaFaults, type NotFound } from '@spandrel/kernel';
import { queryFaults } from './names/unknown-names.js';

/**
 * Checks an argument against the zod schema its decorator names. Unlike Nest's own pipe it leaves `__proto__` keys
 * alone and stays synchronous. @throws Invalid `validation_failed` with one entry a fault.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  transform(value: unknown, { schema, type }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    const parsed = schema.safeParse(type === 'body' ? bodyValue(value) : value);
    if (parsed.success) return parsed.data;
    if (type === 'query') throw invalidRequest(queryFaults(parsed.error, schema, value), 'the query');
    throw invalidRequest(schemaFaults(parsed.error, schema));
  }
}

/** A body left out is an empty one; a number kept as its source text is a number, although JavaScript has it as an object. */
const bodyValue = (value: unknown): unknown => (value === undefined ? {} : (numberOf(value) ?? value));

/**
 * Lets an id in a path through, unless no column can hold it: such text names nothing and must not reach the database.
 * The OpenAPI document has the error among those of the route.
 */
export class PathId implements PipeTransform<string> {
  constructor(readonly notFound: () => NotFound) {}

  transform(id: string): string {
    if (!isStorableText(id)) throw this.notFound();
    return id;
  }
}

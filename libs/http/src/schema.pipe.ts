import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { numberOf } from '@spandrel/contract';
import { z } from 'zod';
import { invalidRequest, schemaFaults } from '@spandrel/kernel';
import { queryFaults } from './names/query-faults.js';

/**
 * Checks an argument against the zod schema its decorator names (`@Body({ schema })`) and hands on the parsed value.
 * Unlike Nest's own pipe it leaves `__proto__` keys alone (values are stored exactly) and stays synchronous.
 * @throws Invalid `validation_failed` with one entry a fault.
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

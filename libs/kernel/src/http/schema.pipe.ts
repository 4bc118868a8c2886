import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { fieldErrors, numberOf } from '@spandrel/contract';
import { z } from 'zod';
import { Invalid } from '../errors/domain-error.js';

/**
 * Checks an argument against the zod schema its decorator names (`@Body({ schema })`) and hands on the parsed value.
 * Unlike Nest's own pipe it leaves `__proto__` keys alone (values are stored exactly) and stays synchronous.
 * @throws Invalid `validation_failed` with one entry a fault.
 */
@Injectable()
export class SchemaPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { schema } = metadata;
    if (!(schema instanceof z.ZodType)) return value;
    const parsed = schema.safeParse(metadata.type === 'body' ? bodyValue(value) : value);
    if (parsed.success) return parsed.data;
    const errors = fieldErrors(parsed.error).slice(0, ERRORS_MAX);
    throw new Invalid('validation_failed', summary(metadata, errors.length), errors);
  }
}

/** A body left out is an empty one; a number kept as its source text is a number, although JavaScript has it as an object. */
const bodyValue = (value: unknown): unknown => (value === undefined ? {} : (numberOf(value) ?? value));

/** Faults listed in one answer; a hostile body could make millions. */
const ERRORS_MAX = 100;

const summary = ({ type }: ArgumentMetadata, count: number): string =>
  `${count} ${count === 1 ? 'member' : 'members'} of the ${type === 'body' ? 'body' : type} ${count === 1 ? 'is' : 'are'} not valid`;

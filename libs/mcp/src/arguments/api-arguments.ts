import type { QueryValue } from '@spandrel/http';
import { Invalid } from '@spandrel/kernel';
import { z } from 'zod';
import { argumentSchema } from './argument-schema.js';

/** Members of a query or a body as arguments, described as the API does, which says what is wrong with them. */
export function apiArguments(schema: z.ZodType, omit: readonly string[] = []): z.ZodRawShape {
  const { properties = {}, required = [] } = argumentSchema(schema) as {
    properties?: Record<string, object>;
    required?: string[];
  };
  const members = Object.entries(properties).filter(([name]) => !omit.includes(name));
  return Object.fromEntries(
    members.map(([name, shown]) => {
      const any = z.unknown().meta({ openapi: shown });
      return [
        name,
        required.includes(name) ? any.refine((value) => value !== undefined, 'is required') : any.optional(),
      ];
    }),
  );
}

/** Arguments as parameters of a query; an object of texts is `NAME.KEY`. @throws Invalid for what no parameter can be. */
export function queryOf(args: Readonly<Record<string, unknown>>): Record<string, QueryValue> {
  const query: Record<string, QueryValue> = {};
  for (const [name, value] of Object.entries(args)) {
    if (isGathered(value) && Object.keys(value).length > PARAMETERS_MAX) {
      const message = `must have at most ${PARAMETERS_MAX} values`;
      throw new Invalid('validation_failed', `${name} ${message}`, [{ path: name, message }]);
    }
    if (Array.isArray(value)) query[name] = value.map((each) => parameterOf(name, each));
    else if (isGathered(value)) {
      for (const [key, each] of Object.entries(value)) query[`${name}.${key}`] = parameterOf(`${name}.${key}`, each);
    } else if (value !== undefined) query[name] = parameterOf(name, value);
  }
  return query;
}

/** Parameters that one argument may stand for; no list of the API takes more ids. */
const PARAMETERS_MAX = 1_000;

const isGathered = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value);

function parameterOf(path: string, value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (JSON.isRawJSON(value)) return value.rawJSON;
  const message = 'must be a text, a number, true or false';
  throw new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);
}

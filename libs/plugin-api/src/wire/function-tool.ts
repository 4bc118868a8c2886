import { filledTextOf, objectOf } from './lenient-json.js';

/** A tool that a model may call: a function of the client's. */
export interface FunctionTool {
  name: string;
  description?: string;
  /** JSON Schema of its arguments. */
  schema: Readonly<Record<string, unknown>>;
}

/**
 * A definition of a tool as the Chat Completions, Responses and Messages APIs, Ollama or OpenTelemetry have it; `null` for
 * what is no function of the client's, such as a provider's own search.
 */
export function functionToolOf(definition: unknown): FunctionTool | null {
  const { type, function: called } = objectOf(definition);
  if (type !== undefined && type !== 'function' && type !== 'custom') return null;
  const { name, description, parameters, input_schema: input } = objectOf(called ?? definition);
  const named = filledTextOf(name);
  if (named === null || (type === 'custom' && input === undefined)) return null;
  const said = filledTextOf(description);
  const schema = objectOf(parameters ?? input);
  return { name: named, ...(said !== null && { description: said }), schema: 'type' in schema ? schema : EMPTY };
}

const EMPTY = { type: 'object', properties: {} };

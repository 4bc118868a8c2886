import type { EvalDefinition } from './definition.js';
import { readDefinition } from './read-definition.js';
import type { Unsaid } from './unsaid.js';

/** What a definition is known by, also one that another copy of the package made. */
const MARK = Symbol.for('spandrel.eval');

/**
 * An eval of one's own code, checked: `export default defineEval({ … })` is what `spandrel eval file` runs, and `evaluate` takes it.
 * @throws DefinitionError with the member that is wrong.
 */
export function defineEval<Input = Unsaid, Returned = Unsaid, Expected = Unsaid, Metadata = Unsaid>(
  definition: EvalDefinition<Input, Returned, Expected, Metadata>,
): EvalDefinition<Input, Returned, Expected, Metadata> {
  readDefinition(definition);
  return { ...definition, [MARK]: true } as typeof definition;
}

/** Whether a value is what `defineEval` gave. */
export const isEvalDefinition = (value: unknown): value is EvalDefinition =>
  typeof value === 'object' && value !== null && (value as { [MARK]?: unknown })[MARK] === true;

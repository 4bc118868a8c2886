import { nearestName } from '../nearest-name.js';

/**
 * What is said of a name that is not known: `is not a query parameter of this route; did you mean "model"?`, or what there
 * is when no known name is near.
 * @param fault what the name is not.
 */
export function unknownName(fault: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `${fault}; did you mean ${JSON.stringify(nearest)}?`;
  return `${fault}, which takes ${known.length === 0 ? 'none' : known.join(', ')}`;
}

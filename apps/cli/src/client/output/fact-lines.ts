import { oneLine } from './clean-text.js';
import type { Paint } from './styles.js';

/** A name and what it is; facts without a text are left out. */
export type Fact = readonly [name: string, text: string | null | undefined];

/** @returns a line a fact, the texts below each other. */
export function factLines(facts: readonly Fact[], paint: Paint): string[] {
  const known = facts.filter(([, text]) => text !== null && text !== undefined && text !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, text]) => `${paint(name.padEnd(width), 'bold')}  ${oneLine(text!)}`);
}

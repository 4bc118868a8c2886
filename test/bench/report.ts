/** What the bench prints. */
interface Goal {
  name: string;
  figure: number | undefined;
  bound: '<=' | '>=';
  limit: number;
}

const goals: Goal[] = [];

export const heading = (text: string): void => console.log(`\n${text}`);

/** One line of a table: a name and its figures. */
export const row = (name: string, ...figures: string[]): void =>
  console.log(`  ${name.padEnd(26)}${figures.map((figure) => figure.padStart(12)).join('')}`);

/** Notes a figure and the goal it is held against; `undefined` when a peer is not installed. */
export function goal(name: string, figure: number | undefined, bound: Goal['bound'], limit: number): void {
  goals.push({ name, figure, bound, limit });
}

/** Every goal with its figure. */
export function verdicts(): void {
  heading('Goals (docs/performance.md)');
  for (const { name, figure, bound, limit } of goals) {
    const met = figure !== undefined && (bound === '<=' ? figure <= limit : figure >= limit);
    const verdict = figure === undefined ? 'not measured' : met ? 'met' : 'not met';
    row(name.padEnd(46), figure === undefined ? '-' : figure.toFixed(2), `${bound} ${limit}`, verdict);
  }
}

import { writeFileSync } from 'node:fs';
import { busyReason, describeBounds, describePresence, type Presence } from './machine.ts';
import { MachineWatch } from './machine-watch.ts';
import { verdictOf, type Goal } from './verdict.ts';

/** What the bench prints. */
interface NotedGoal extends Goal {
  part: string;
}

/** What others took of the machine before and during a part. */
interface PartOnMachine {
  before: Presence;
  during: Presence;
  busy: string | undefined;
}

const goals: NotedGoal[] = [];
const parts = new Map<string, PartOnMachine>();
let current = '';

export const heading = (text: string): void => console.log(`\n${text}`);

/** One line of a table: a name and its figures. */
export const row = (name: string, ...figures: string[]): void =>
  console.log(`  ${name.padEnd(26)}${figures.map((figure) => ` ${figure.padStart(11)}`).join('')}`);

/** Notes a figure and the goal it is held against; `undefined` when a peer is not installed. */
export function goal(
  name: string,
  figure: number | undefined,
  bound: Goal['bound'],
  limit: number,
  options: Pick<Goal, 'holdsAnywhere'> = {},
): void {
  goals.push({ name, figure, bound, limit, ...options, part: current });
}

/** Runs a part of the bench, prints its figures, and what others took of the machine before and meanwhile. */
export async function part<Figures>(
  name: string,
  measure: () => Promise<Figures>,
  report: (figures: Figures) => void,
): Promise<void> {
  current = name;
  const before = await MachineWatch.before();
  const watch = new MachineWatch();
  const figures = await measure();
  const during = watch.stop();
  parts.set(name, { before, during, busy: busyReason(during) ?? busyReason(before) });
  report(figures);
  heading(`The machine, part ${name}`);
  row('before', describePresence(before));
  row('meanwhile', describePresence(during));
}

/** Every goal with its figure; none has a verdict whose part was measured while others used the machine. */
export function verdicts(): void {
  heading(`Goals (docs/performance.md); ${describeBounds()}`);
  for (const noted of goals) {
    const { name, figure, bound, limit } = noted;
    const shown = figure === undefined ? '-' : figure.toFixed(2);
    row(name.padEnd(52), shown, `${bound} ${limit}`, `  ${verdictOn(noted)}`);
  }
}

const verdictOn = (noted: NotedGoal): string => verdictOf(noted, parts.get(noted.part)?.busy);

/** Writes goals, figures, verdicts and the machine to a file as JSON. */
export function writeJson(file: string): void {
  const noted = goals.map((each) => ({ ...each, verdict: verdictOn(each) }));
  writeFileSync(
    file,
    `${JSON.stringify({ node: process.versions.node, goals: noted, parts: Object.fromEntries(parts) }, null, 2)}\n`,
  );
}

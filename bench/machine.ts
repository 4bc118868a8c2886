/** What the machine did besides the bench, found by two looks at `/proc`. Nothing here reads or waits. */

/** The processors' time since the start of the machine, in clock ticks of all cores together. */
export interface CpuTimes {
  /** All of it, idle time included. */
  total: number;
  /** Time in which a core worked for a process; interrupts, which nobody can be charged with, are not in it. */
  busy: number;
  /** Time in which a core of this virtual machine wanted to work and the host gave it to another one. */
  steal: number;
}

/** One look at the machine. */
export interface Look extends CpuTimes {
  /** Ticks that the bench, everything it started, and the kernel's own threads have used since the first look. */
  own: number;
  /** Load average of the last minute. */
  load: number;
}

/** What others took between two looks or more, as parts of all cores: 0 to 1. */
export interface Presence {
  steal: number;
  /** Work of processes that are not the bench's. */
  others: number;
  /** The most that others took between two looks one after the other. */
  othersAtMost: number;
  /** Highest load average that was seen; the bench's own work is in it. */
  load: number;
}

/** More than this part of all cores for others: no figure of that time is worth a verdict. */
const OTHERS_MAX = 0.1;
/** More than this part of all cores taken by the host: the same. */
const STEAL_MAX = 0.05;

/** Reads the line of all cores in `/proc/stat`. @throws when there is none. */
export function parseCpuTimes(stat: string): CpuTimes {
  const line = /^cpu +(.+)$/m.exec(stat)?.[1];
  if (line === undefined) throw new Error('/proc/stat has no line of all processors');
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(' ')
    .map(Number);
  // The time of guests, the two columns after these, is part of user and nice.
  const busy = user + nice + system;
  return { total: busy + idle + iowait + irq + softirq + steal, busy, steal };
}

/** Reads the load average of the last minute from `/proc/loadavg`. */
export const parseLoad = (loadavg: string): number => Number(loadavg.split(' ')[0]);

/** A process as `/proc/PID/stat` shows it. */
export interface ProcessTimes {
  pid: number;
  parent: number;
  /** Ticks that it used itself. */
  ticks: number;
  /** Ticks of its children that have ended and that it has asked about. */
  ended: number;
}

/** Reads `/proc/PID/stat`. @returns `undefined` for a text that is none. */
export function parseProcess(stat: string): ProcessTimes | undefined {
  // The name stands in brackets and may hold anything, brackets as well.
  const [, pid, rest] = /^(\d+) \(.*\) (.*)$/s.exec(stat) ?? [];
  if (pid === undefined || rest === undefined) return undefined;
  const fields = rest.split(' ').map(Number);
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
  return { pid: Number(pid), parent: fields[1]!, ticks: user + system, ended: endedUser + endedSystem };
}

/**
 * Ticks that a process and all that descend from it used between two looks. What one of them used before it ended stays
 * counted, also where its parent ended first and nobody of the family is notified of it, as when a browser closes.
 */
export function workOfFamily(root: number, before: readonly ProcessTimes[], after: readonly ProcessTimes[]): number {
  const [earlier, later] = [familyOf(root, before), familyOf(root, after)];
  const gone = Map.groupBy(
    [...earlier.values()].filter(({ pid }) => !later.has(pid)),
    ({ parent }) => parent,
  );
  let work = 0;
  for (const { pid, ticks, ended } of later.values()) {
    const known = earlier.get(pid) ?? { ticks: 0, ended: 0 };
    const counted = (gone.get(pid) ?? []).reduce((sum, child) => sum + child.ticks + child.ended, 0);
    work += ticks - known.ticks + Math.max(0, ended - known.ended - counted);
  }
  return work;
}

function familyOf(root: number, processes: readonly ProcessTimes[]): Map<number, ProcessTimes> {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const family = processes.filter(({ pid }) => pid === root);
  // Members that are found are looked at in turn, as the array grows.
  for (const { pid } of family) family.push(...(children.get(pid) ?? []));
  return new Map(family.map((member) => [member.pid, member]));
}

/** What others took over a time with some looks in it, the first and the last one included. */
export function presenceOf(looks: readonly Look[]): Presence {
  const between = looks.slice(1).map((look, index) => othersBetween(looks[index]!, look));
  const [first, last] = [looks[0], looks.at(-1)];
  if (first === undefined || last === undefined) return { steal: 0, others: 0, othersAtMost: 0, load: 0 };
  const total = Math.max(1, last.total - first.total);
  return {
    steal: Math.max(0, last.steal - first.steal) / total,
    others: othersBetween(first, last),
    othersAtMost: Math.max(0, ...between),
    load: Math.max(...looks.map(({ load }) => load)),
  };
}

/** The clocks of processes and of the machine are not read at the same moment: never less than nothing. */
const othersBetween = (from: Look, to: Look): number =>
  Math.max(0, to.busy - from.busy - (to.own - from.own)) / Math.max(1, to.total - from.total);

/** Why figures of this time get no verdict. @returns `undefined` when the machine was quiet enough. */
export function busyReason({ steal, others }: Presence): string | undefined {
  const reasons = [
    ...(others > OTHERS_MAX ? [`others ${percent(others)} of the cores, bound ${percent(OTHERS_MAX)}`] : []),
    ...(steal > STEAL_MAX ? [`steal ${percent(steal)}, bound ${percent(STEAL_MAX)}`] : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** One line about what others took. */
export const describePresence = ({ steal, others, othersAtMost, load }: Presence): string =>
  `steal ${percent(steal)}, others ${percent(others)} of the cores (at most ${percent(othersAtMost)}), load ${load.toFixed(2)}`;

const percent = (part: number): string => `${Number((part * 100).toFixed(part < 0.0995 ? 1 : 0))}%`;

/** Beyond what there are no verdicts. */
export const describeBounds = (): string =>
  `no verdict where others took over ${percent(OTHERS_MAX)} of the cores or the host over ${percent(STEAL_MAX)}`;

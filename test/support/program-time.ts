import { readFileSync } from 'node:fs';

/** `sysconf(_SC_CLK_TCK)` of every Linux. */
const TICK_MS = 10;

/**
 * Begins to measure how long a program takes for something: the CPU it uses, where that is less than the time that goes
 * by. On a machine that others use too, time goes by without the program.
 * @returns milliseconds since then.
 */
export function programTime(pid: number): () => number {
  const [began, used] = [performance.now(), cpuMs(pid)];
  return () => Math.min(performance.now() - began, cpuMs(pid) - used);
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

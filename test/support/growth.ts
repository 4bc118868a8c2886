const TRIES = 20;
/** What one run takes at least, in microseconds: less is no measure. */
const LEAST_US = 1_000;

/**
 * How many times as much CPU of this thread work takes on `factor` times the size. Other programs, the collector of
 * garbage and the compiler make some runs slower and none faster, so that the least of several counts. The small size is
 * measured by the time that went by, which is no less: a kernel that counts in ticks says 0 for a run within one.
 * @param prepare makes what is worked on, untimed, and returns the work.
 * @param most a ratio that ends the tries.
 */
export function growth(prepare: (size: number) => () => unknown, size: number, factor: number, most: number): number {
  const micros = (of: number): { cpu: number; passed: number } => {
    const work = prepare(of);
    const before = process.threadCpuUsage();
    const began = performance.now();
    work();
    const passed = (performance.now() - began) * 1_000;
    const now = process.threadCpuUsage();
    return { cpu: now.user + now.system - before.user - before.system, passed };
  };
  micros(size);
  let small = Infinity;
  let large = Infinity;
  for (let tried = 0; tried < TRIES; tried++) {
    small = Math.min(small, micros(size).passed);
    large = Math.min(large, micros(factor * size).cpu);
    if (large / Math.max(LEAST_US, small) < most) break;
  }
  return large / Math.max(LEAST_US, small);
}

const TRIES = 20;
/** What one run takes at least, in microseconds: less is no measure. */
const LEAST_US = 1_000;

/**
 * How many times as much CPU of this thread work takes on `factor` times the size. Other programs, the collector of
 * garbage and the compiler make some runs slower and none faster, so that the least of several counts.
 * @param prepare makes what is worked on, untimed, and returns the work.
 * @param most a ratio that ends the tries.
 */
export function growth(prepare: (size: number) => () => unknown, size: number, factor: number, most: number): number {
  const micros = (of: number): number => {
    const work = prepare(of);
    // The sum is exact; how it is split up is known to a tick of the kernel's clock.
    const before = process.threadCpuUsage();
    work();
    const now = process.threadCpuUsage();
    return now.user + now.system - before.user - before.system;
  };
  micros(size);
  let small = Infinity;
  let large = Infinity;
  for (let tried = 0; tried < TRIES; tried++) {
    small = Math.min(small, micros(size));
    large = Math.min(large, micros(factor * size));
    if (large / Math.max(LEAST_US, small) < most) break;
  }
  return large / Math.max(LEAST_US, small);
}

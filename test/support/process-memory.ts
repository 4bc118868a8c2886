import { readFileSync, writeFileSync } from 'node:fs';

/** The most memory a process has held resident since {@link forgetPeak}, in MiB. */
export function peakMiB(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}

/** Lets the peak start again at what is resident now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

import { describe, expect, it } from '@jest/globals';
import {
  busyReason,
  describePresence,
  parseCpuTimes,
  parseLoad,
  parseProcess,
  presenceOf,
  workOfFamily,
  type Look,
} from './machine.ts';

const look = (changes: Partial<Look>): Look => ({ total: 0, busy: 0, steal: 0, own: 0, load: 0, ...changes });

describe('the looks at /proc', () => {
  it('reads the line of all processors; interrupts and the time of guests are distinguished', () => {
    const stat = 'cpu  100 20 30 400 50 6 7 8 90 9\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5\n';
    expect(parseCpuTimes(stat)).toEqual({ total: 621, busy: 150, steal: 8 });
  });

  it('reads kernels without the columns of steal and guests', () => {
    expect(parseCpuTimes('cpu  1 2 3 4 5 6 7\n')).toEqual({ total: 28, busy: 6, steal: 0 });
  });

  it('refuses what is no /proc/stat', () => {
    expect(() => parseCpuTimes('intr 5\n')).toThrow('no line of all processors');
  });

  it('reads the load of the last minute', () => {
    expect(parseLoad('8.60 7.17 3.40 7/204 12831\n')).toBe(8.6);
  });

  it('reads a process, whatever its name, with its children that have ended', () => {
    const stat = '42 (a) b) (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 99620';
    expect(parseProcess(stat)).toEqual({ pid: 42, parent: 7, ticks: 33, ended: 77 });
    expect(parseProcess('')).toBeUndefined();
  });

  describe('what a process and all that descend from it used', () => {
    const of = (pid: number, parent: number, ticks: number, ended = 0) => ({ pid, parent, ticks, ended });
    const before = [of(1, 0, 1_000), of(4, 3, 8), of(2, 1, 1), of(3, 2, 2), of(5, 1, 500), of(6, 2, 4)];

    it('is what each of them used, new ones all of theirs', () => {
      const after = [of(1, 0, 2_000), of(4, 3, 18), of(2, 1, 2), of(3, 2, 2), of(5, 1, 900), of(6, 2, 4), of(7, 4, 50)];
      expect(workOfFamily(2, before, after)).toBe(10 + 1 + 50);
      expect(workOfFamily(9, before, after)).toBe(0);
    });

    it('counts no child twice that has ended, and what one used that was never seen', () => {
      // 4 used 3 more before it ended, and another child of 3 began and ended in between.
      const after = [of(2, 1, 1), of(3, 2, 2, 8 + 3 + 20), of(6, 2, 4)];
      expect(workOfFamily(2, before, after)).toBe(3 + 20);
    });

    it('takes nothing back of a child that outlives its parent, and ends as a child of somebody else', () => {
      const after = [of(1, 0, 1_000, 10), of(2, 1, 1, 2), of(6, 2, 5)];
      expect(workOfFamily(2, before, after)).toBe(1);
    });
  });
});

describe('what others took', () => {
  it('is what was worked less what the bench worked, as a part of all cores', () => {
    const looks = [
      look({ total: 1_000, busy: 500, steal: 10, own: 300, load: 1 }),
      look({ total: 1_100, busy: 580, steal: 10, own: 330, load: 3 }),
      look({ total: 1_200, busy: 640, steal: 20, own: 390, load: 2 }),
    ];
    expect(presenceOf(looks)).toEqual({ steal: 0.05, others: 0.25, othersAtMost: 0.5, load: 3 });
  });

  it('is never less than nothing, and nothing when there was one look or none', () => {
    expect(presenceOf([look({ total: 10, busy: 5 }), look({ total: 20, busy: 6, own: 9 })]).others).toBe(0);
    expect(presenceOf([look({ load: 2 })])).toEqual({ steal: 0, others: 0, othersAtMost: 0, load: 2 });
    expect(presenceOf([])).toEqual({ steal: 0, others: 0, othersAtMost: 0, load: 0 });
  });

  it('is too much beyond a tenth of the cores for others or a twentieth for the host', () => {
    const presence = (others: number, steal: number) => ({ others, steal, othersAtMost: 1, load: 99 });
    expect(busyReason(presence(0.1, 0.05))).toBeUndefined();
    expect(busyReason(presence(0.34, 0))).toBe('others 34% of the cores, bound 10%');
    expect(busyReason(presence(0, 0.061))).toBe('steal 6.1%, bound 5%');
    expect(busyReason(presence(0.5, 0.5))).toBe('others 50% of the cores, bound 10%; steal 50%, bound 5%');
  });

  it('is reported in one line', () => {
    expect(describePresence({ steal: 0.003, others: 0.042, othersAtMost: 0.31, load: 2.1 })).toBe(
      'steal 0.3%, others 4.2% of the cores (at most 31%), load 2.10',
    );
  });
});

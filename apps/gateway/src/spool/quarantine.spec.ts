import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Quarantine } from './quarantine.js';

let folder: string;
let counted: { quarantined: number; removed: number };

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'spandrel-quarantine-'));
  counted = { quarantined: 0, removed: 0 };
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const quarantine = (files: number, bytes: number): Quarantine => {
  const observer = { quarantined: () => counted.quarantined++, quarantineRemoved: () => counted.removed++ };
  return new Quarantine(folder, observer, { files, bytes });
};
/** A file in the spool directory, written at a moment. */
const file = (name: string, bytes: number, writtenAt: number): string => {
  const made = path.join(folder, name);
  fs.writeFileSync(made, 'x'.repeat(bytes));
  fs.utimesSync(made, writtenAt, writtenAt);
  return made;
};
const inside = (): string[] => fs.readdirSync(path.join(folder, 'quarantine')).sort();

describe('Quarantine', () => {
  it('is a folder that its owner alone reads, made when the first file comes', () => {
    const it = quarantine(10, 1_000);
    expect([fs.readdirSync(folder), it.files]).toEqual([[], 0]);
    it.take(file('a.journal', 10, 1));
    expect(fs.readdirSync(folder)).toEqual(['quarantine']);
    expect(fs.statSync(path.join(folder, 'quarantine')).mode & 0o777).toBe(0o700);
    expect([inside(), it.files, counted]).toEqual([['a.journal'], 1, { quarantined: 1, removed: 0 }]);
  });

  it('keeps within its number of files; those written longest ago leave first', () => {
    const it = quarantine(2, 1_000);
    for (const [name, at] of [
      ['b.journal', 3],
      ['a.journal', 2],
      ['c.journal', 1],
      ['d.journal', 4],
    ] as const)
      it.take(file(name, 1, at));
    expect([inside(), counted]).toEqual([['b.journal', 'd.journal'], { quarantined: 4, removed: 2 }]);
  });

  it('keeps within its bytes, also when one file alone is too much', () => {
    const it = quarantine(10, 100);
    it.take(file('a.journal', 60, 1));
    it.take(file('b.journal', 60, 2));
    expect(inside()).toEqual(['b.journal']);
    it.take(file('c.journal', 101, 3));
    expect([inside(), counted]).toEqual([[], { quarantined: 3, removed: 3 }]);
  });

  it('holds what a former run left to its limits, and sees what a person takes out', () => {
    quarantine(10, 1_000).take(file('a.journal', 1, 1));
    const it = quarantine(1, 1_000);
    expect(it.files).toBe(1);
    it.take(file('b.journal', 1, 2));
    expect(inside()).toEqual(['b.journal']);
    fs.rmSync(path.join(folder, 'quarantine', 'b.journal'));
    expect(it.files).toBe(0);
  });

  it('leaves a file where it is when it cannot be moved', () => {
    fs.writeFileSync(path.join(folder, 'quarantine'), 'a file where the folder should be');
    const left = file('a.journal', 1, 1);
    expect(() => quarantine(10, 1_000).take(left)).toThrow(/EEXIST|ENOTDIR/);
    expect([fs.existsSync(left), counted.quarantined]).toEqual([true, 0]);
  });
});

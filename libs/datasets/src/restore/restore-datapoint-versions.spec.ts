import { describe, expect, it } from '@jest/globals';
import { placeVersion, type VersionRange } from './restore-datapoint-versions.js';

const range = (from: number, to: number | null, asked = 'x'): VersionRange => ({ from, to, asked });
const fresh = { version: 9, pinnedVersion: 0 };

describe('the place of a version of a datapoint', () => {
  it('is found among those that are here', () => {
    const current = range(9, null);
    expect(placeVersion([current], range(3, null, ''), fresh)).toEqual({ type: 'lengthen', range: current, from: 3 });
    expect(placeVersion([range(3, null)], range(3, null, ''), fresh)).toEqual({ type: 'there' });
    expect(placeVersion([current], range(2, 5), fresh)).toEqual({ type: 'add', from: 2, to: 5 });
    expect(placeVersion([range(2, 5), current], range(2, 5), fresh)).toEqual({ type: 'there' });
    expect(placeVersion([], range(3, null, ''), fresh)).toEqual({ type: 'missing' });
  });

  it('ends with the version of the dataset that the file has', () => {
    expect(placeVersion([], range(2, 12), fresh)).toEqual({ type: 'add', from: 2, to: 9 });
    expect(placeVersion([], range(9, 12), fresh)).toEqual({ type: 'there' });
    expect(placeVersion([range(9, null)], range(12, null, ''), fresh)).toEqual({ type: 'there' });
  });

  it('may shorten what changed after the last snapshot that was taken here', () => {
    const seen = range(2, 9);
    const pinned = { version: 9, pinnedVersion: 4 };
    expect(placeVersion([seen], range(2, 6), pinned)).toEqual({ type: 'shorten', range: seen, to: 6 });
    expect(placeVersion([seen], range(2, 4), pinned)).toEqual({ type: 'conflict' });
    expect(placeVersion([seen], range(2, 6, 'y'), pinned)).toEqual({ type: 'conflict' });
  });

  it('is none where it would change what a snapshot sees, or where another was', () => {
    const pinned = { version: 9, pinnedVersion: 4 };
    expect(placeVersion([range(9, null)], range(4, null, ''), pinned)).toEqual({ type: 'conflict' });
    expect(placeVersion([range(9, null)], range(3, 5), pinned)).toEqual({ type: 'conflict' });
    expect(placeVersion([range(4, 6)], range(2, 5), fresh)).toEqual({ type: 'conflict' });
    expect(placeVersion([range(2, null)], range(3, null, ''), fresh)).toEqual({ type: 'conflict' });
    expect(placeVersion([range(4, 6), range(9, null)], range(3, null, ''), fresh)).toEqual({ type: 'conflict' });
  });
});

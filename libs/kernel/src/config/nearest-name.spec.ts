import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['portt', 'port'],
    ['prot', 'port'],
    ['hots', 'host'],
    ['dataDir', 'data_dir'],
    ['zzz', undefined],
    ['', undefined],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestName(name, ['port', 'host', 'data_dir'])).toBe(nearest);
  });
});

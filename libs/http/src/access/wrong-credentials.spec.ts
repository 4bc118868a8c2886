import { beforeEach, describe, expect, it } from '@jest/globals';
import { WrongCredentials } from './wrong-credentials.js';

let now: number;
let wrong: WrongCredentials;
beforeEach(() => {
  now = 1_000;
  wrong = new WrongCredentials(20, () => now);
});

const noteMany = (address: string, count: number) => Array.from({ length: count }, () => wrong.note(address));

describe('WrongCredentials', () => {
  it('are 20 a minute from an address, then too many until the minute is over', () => {
    expect(noteMany('203.0.113.9', 20)).toEqual(Array(20).fill(undefined));
    now += 14_500;
    const refusal = wrong.note('203.0.113.9');
    expect(refusal).toMatchObject({ code: 'too_many_wrong_credentials', retryAfterSeconds: 46 });
    expect(refusal?.message).toBe('more than 20 wrong credentials came from this address within a minute');
    now += 45_499;
    expect(wrong.note('203.0.113.9')?.retryAfterSeconds).toBe(1);
    now += 1;
    expect(noteMany('203.0.113.9', 21).map(Boolean)).toEqual([...Array<boolean>(20).fill(false), true]);
  });

  it('are counted for each address, and for 64 bits of IPv6', () => {
    noteMany('203.0.113.9', 20);
    expect(wrong.note('203.0.113.10')).toBeUndefined();
    noteMany('2001:db8:1:2:3:4:5:6', 20);
    expect(wrong.note('2001:db8:1:2:ffff::1')).toBeDefined();
    expect(wrong.note('2001:db8:1:3::1')).toBeUndefined();
    noteMany('fe80::1%eth0', 20);
    expect(wrong.note('fe80::2%eth1')).toBeDefined();
  });

  it('count for nobody once the address is gone', () => {
    expect(Array.from({ length: 30 }, () => wrong.note(undefined))).toEqual(Array(30).fill(undefined));
  });

  it('are forgotten when their minute is over, or too many addresses have some', () => {
    for (let i = 0; i < 10_050; i++) wrong.note(`10.0.${i >> 8}.${i & 255}`);
    expect(wrong.size).toBe(10_000);
    now += 60_000;
    wrong.note('203.0.113.9');
    expect(wrong.size).toBe(1);
  });
});

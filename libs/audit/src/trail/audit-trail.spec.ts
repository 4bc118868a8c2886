import { expect, it, describe } from '@jest/globals';
import { changesBetween, boundedDetails, boundedText } from './audit-trail.js';

it('what changed is listed member by member, and nothing else', () => {
  expect(changesBetween({ a: 1, b: ['x'], c: null }, { a: 1, b: ['x'], c: null })).toEqual({});
  expect(changesBetween({ a: 1, b: ['x'], gone: true }, { a: 2, b: ['x', 'y'], added: 0 })).toEqual({
    a: { from: 1, to: 2 },
    b: { from: ['x'], to: ['x', 'y'] },
    gone: { from: true, to: null },
    added: { from: null, to: 0 },
  });
});

describe('texts of an entry', () => {
  it('are those that both databases take, and no longer than they may be', () => {
    expect(boundedText('a\0b\ud800')).toBe('a\ufffdb\ufffd');
    expect(boundedText('x'.repeat(512))).toBe('x'.repeat(512));
    expect(boundedText('x'.repeat(513))).toBe(`${'x'.repeat(511)}…`);
    expect(boundedText(`${'x'.repeat(510)}😀😀`).isWellFormed()).toBe(true);
  });
});

describe('details of an entry', () => {
  it('are JSON, and say what was left out where they are too long', () => {
    expect(boundedDetails({ a: 1, b: { from: null, to: 'x' } })).toBe('{"a":1,"b":{"from":null,"to":"x"}}');
    expect(boundedDetails({ a: 1, b: 'x'.repeat(20_000) })).toBe('{"a":1,"b":{"left_out":20002}}');
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`member ${n}`, n]));
    expect(JSON.parse(boundedDetails(many))).toEqual({ left_out: JSON.stringify(many).length });
  });
});

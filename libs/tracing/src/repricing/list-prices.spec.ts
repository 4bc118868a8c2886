import { describe, expect, it } from '@jest/globals';
import { namesNear } from './list-prices.js';

describe('namesNear', () => {
  const names = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4', 'Claude-Haiku', 'ft:base'];
  const prices = new Map(names.map((name) => [name, {}]));

  it.each([
    [undefined, ['Claude-Haiku', 'claude-sonnet-4', 'ft:base', 'gpt-4o', 'gpt-4o-mini']],
    ['gpt-4o', ['gpt-4o']],
    ['GPT-4o', ['gpt-4o', 'gpt-4o-mini']],
    ['claude', ['Claude-Haiku', 'claude-sonnet-4']],
    ['gtp-4o-mini', ['gpt-4o-mini']],
    ['ft:base:acme::1', ['ft:base']],
    ['something else', []],
  ])('of %j is %j', (wanted, near) => {
    expect(namesNear(wanted, prices)).toEqual(near);
  });
});

import { describe, expect, it } from '@jest/globals';
import { eventIdSchema, listenSchema } from './events.js';

describe('the number of an event', () => {
  it.each([
    ['0', 0],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', Number.MAX_SAFE_INTEGER],
    ['9'.repeat(500), Number.MAX_SAFE_INTEGER],
  ])('%s is one', (text, number) => {
    expect(eventIdSchema.parse(text)).toBe(number);
  });

  it.each(['', ' ', '-1', '-0', '+1', '1.0', '1e3', '0x1', '1n', '1 ', ' 1', '1\n', 'NaN', 'Infinity', '٣'])(
    '%p is none',
    (text) => {
      expect(eventIdSchema.safeParse(text).success).toBe(false);
    },
  );
});

describe('types', () => {
  it('are separated by commas', () => {
    expect(listenSchema.parse({ types: 'cleared,span_created' }).types).toEqual(['cleared', 'span_created']);
    expect(listenSchema.parse({}).types).toBeUndefined();
  });

  it.each(['', ',', 'cleared,', 'cleared, span_created', 'Cleared', '__proto__'])('%p is refused', (types) => {
    expect(listenSchema.safeParse({ types }).success).toBe(false);
  });
});

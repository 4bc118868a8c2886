import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { streamSlices, itemTexts, textPieces } from './text-answers.js';

const list = { head: '{"items":[', between: ',', tail: () => ']}' };

async function* slicesOf(...slices: string[]): AsyncGenerator<string> {
  yield* slices;
}

describe('streamSlices', () => {
  it('frames slices, however many', async () => {
    expect(await text(await streamSlices(slicesOf('1,2', '3', '4'), list))).toBe('{"items":[1,2,3,4]}');
    expect(await text(await streamSlices(slicesOf('1'), list))).toBe('{"items":[1]}');
    expect(await text(await streamSlices(slicesOf(), list))).toBe('{"items":[]}');
  });

  it('may have no frame and nothing in it', async () => {
    const bare = { head: '', between: '', tail: () => '' };
    expect(await text(await streamSlices(slicesOf('a\n', 'b\n'), bare))).toBe('a\nb\n');
    expect(await text(await streamSlices(slicesOf(), bare))).toBe('');
  });

  it('ends with what the slices come to', async () => {
    async function* counted(): AsyncGenerator<string, number> {
      let count = 0;
      for (; count < 3; count++) yield 'x';
      return count;
    }
    const tail = (count: number): string => `],"count":${count}}`;
    expect(await text(await streamSlices(counted(), { ...list, tail }))).toBe('{"items":[x,x,x],"count":3}');
  });

  it('makes the first slice before anything is written, so that its failure can be reported', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield await Promise.reject<string>(new Error('no database'));
    }
    await expect(streamSlices(failing(), list)).rejects.toThrow('no database');
  });

  it('cuts the answer off when a later slice fails', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield '1';
      throw new Error('no database');
    }
    await expect(text(await streamSlices(failing(), list))).rejects.toThrow('no database');
  });

  it('makes slices as they are taken, and no more once the client is gone', async () => {
    let made = 0;
    let ended = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          made++;
          yield 'x'.repeat(100_000);
        }
      } finally {
        ended = true;
      }
    }
    const stream = await streamSlices(endless(), list);
    expect(made).toBe(1);
    await new Promise((resolve) => stream.once('data', resolve));
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
    expect(made).toBeLessThan(5);
  });
});

describe('the pieces of a text', () => {
  it('are short, whatever it is made of, and end within no character', () => {
    const texts = ['x'.repeat(100), '😀'.repeat(1_000_000), 'y', '', 'z'.repeat(3_000_000)];
    const pieces = [...textPieces(texts, '(')];
    expect(pieces.join('') === `(${texts.join('')}`).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it('are one for a short text, and none for no text', () => {
    expect([...textPieces(['a', 'b', 'c'])]).toEqual(['abc']);
    expect([...textPieces([''])]).toEqual([]);
  });

  it('ask for a text when the ones before are taken', () => {
    let made = 0;
    const texts = Array.from({ length: 10 }, () => 'x'.repeat(300_000)).values();
    const pieces = textPieces(
      texts.map((text) => {
        made++;
        return text;
      }),
    );
    pieces.next();
    expect(made).toBe(1);
  });
});

describe('the texts of a list', () => {
  it('stand behind what stands before each', () => {
    const texts = itemTexts(['a', ['b', 'c'], 'd'], (index) => (index === 0 ? '[' : ','));
    expect([...texts].join('')).toBe('[a,bc,d');
  });
});

/** docs/first-hour.md, made row by row: what is typed there is typed here, and answered as it says. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beginFirstHour, type FirstHour } from './first-hour/first-hour.ts';
import { makeMistake, says } from './first-hour/make-mistake.ts';
import { readMistakes } from './first-hour/read-mistakes.ts';

const mistakes = readMistakes();

let hour: FirstHour;
beforeAll(async () => {
  hour = await beginFirstHour();
});
afterAll(() => hour?.close());

describe('the first hour', () => {
  it('has fifty mistakes, each once', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(50);
    expect(new Set(mistakes.map(({ typed }) => typed)).size).toBe(mistakes.length);
  });

  it.each(mistakes.map((mistake) => [mistake.typed, mistake] as const))('%s', async (_typed, mistake) => {
    const { outcome, lines } = await makeMistake(mistake, hour);
    expect(outcome === mistake.outcome ? 'as the page says' : [outcome, ...lines]).toBe('as the page says');
    // What is not said is shown beside all that is.
    const missing = mistake.words.filter((words) => !says(lines, words));
    expect(missing.length === 0 ? [] : { missing, answered: lines }).toEqual([]);
  });
});

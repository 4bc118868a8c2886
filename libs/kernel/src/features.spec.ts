import { describe, expect, it } from '@jest/globals';
import { defineFeature, type Feature, selectFeatures } from './features.js';

const feature = (name: string, ...requires: string[]): Feature =>
  defineFeature({ name, module: class {}, entities: [], requires });
const names = (features: Feature[]): string[] => features.map(({ name }) => name);

describe('selectFeatures', () => {
  it('loads all, required ones first', () => {
    const all = [feature('evals', 'datasets'), feature('datasets', 'tracing'), feature('tracing')];
    expect(names(selectFeatures(all, 'local'))).toEqual(['tracing', 'datasets', 'evals']);
  });

  it('loads those of config alone', () => {
    expect(names(selectFeatures([feature('tracing'), feature('queue')], 'local', ['tracing']))).toEqual(['tracing']);
  });

  it.each([
    ['an unknown one', [feature('a')], ['b'], 'unknown feature "b"; there are: a'],
    ['one listed twice', [feature('a')], ['a', 'a'], '"a" is listed twice'],
    ['one defined twice', [feature('a'), feature('a')], undefined, 'feature "a" is defined twice'],
    ['a missing requirement', [feature('a'), feature('b', 'a')], ['b'], 'feature "b" requires feature "a"'],
    ['a circle', [feature('a', 'b'), feature('b', 'c'), feature('c', 'b')], undefined, 'b → c → b'],
  ])('refuses %s and names it', (_what, available, wanted, message) => {
    expect(() => selectFeatures(available, 'local', wanted)).toThrow(message);
  });
});

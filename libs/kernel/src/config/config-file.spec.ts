import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { PACKAGE } from '../package-root.js';
import { readConfigFile } from './config-file.js';

const PATH = join(PACKAGE.root, 'config/default.yaml');

describe('readConfigFile', () => {
  it('reads a file as yaml says it, and knows the lines', () => {
    const { tree, placeOf } = readConfigFile(PATH, []);
    expect(tree).toEqual(parse(readFileSync(PATH, 'utf8')));
    const line = readFileSync(PATH, 'utf8').split('\n').indexOf('mode: local') + 1;
    expect(placeOf(['mode'])).toBe(`${PATH}:${line}`);
  });
});

import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { PACKAGE } from '../package-root.js';
import { knownVariables, unknownVariables, readConfigFile } from './config-sources.js';

const known = knownVariables(join(PACKAGE.root, 'config/default.yaml'));
const said = (...names: string[]): string[] =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])), known);

const NO_EFFECT = 'there is no such variable, it has no effect';

describe('unknownVariables', () => {
  it.each([
    ['SPANDREL_PROT', 'SPANDREL_PORT'],
    ['SPANDREL_GATEWAY_PROT', 'SPANDREL_GATEWAY_PORT'],
    ['SPANDREL_DATADIR', 'SPANDREL_DATA_DIR'],
    ['SPANDREL_SECRTE_KEY', 'SPANDREL_SECRET_KEY'],
    ['SPANDREL_SECRET_KEY_FIEL', 'SPANDREL_SECRET_KEY_FILE'],
    ['SPANDREL_LOGLEVEL', 'SPANDREL_LOG_LEVEL'],
    ['SPANDREL_DATABASE_URL', 'DATABASE_URL'],
    ['SPANDREL_REDIS_URL', 'REDIS_URL'],
    ['SPANDREL_OPENAI_URL', 'SPANDREL_OPENAI_BASE_URL'],
  ])('names for %s the nearest one, %s', (name, nearest) => {
    expect(said(name)).toEqual([`${name}: ${NO_EFFECT}; did you mean ${nearest}?`]);
  });

  it('says it too where none is near, and that a variable is not read from a file', () => {
    expect(said('SPANDREL_ZZZZZZZ')).toEqual([`SPANDREL_ZZZZZZZ: ${NO_EFFECT}`]);
    expect(said('SPANDREL_PORT_FILE')).toEqual([
      `SPANDREL_PORT_FILE: ${NO_EFFECT}; SPANDREL_PORT is not read from a file, set it`,
    ]);
  });

  it('says nothing of other programs, of what is documented, of tests, and of services beside this one', () => {
    expect(
      said(
        'PORT',
        'SPANDREL_PORT',
        'SPANDREL_CONFIG',
        'SPANDREL_SECRET_KEY_FILE',
        'SPANDREL_API_KEY_FILE',
        'SPANDREL_RATE_LIMIT',
        'SPANDREL_NEW_SECRET_KEY_FILE',
        'SPANDREL_KEY',
        'SPANDREL_TEST_SEED',
        'SPANDREL_CHECK_ROWS',
        'SPANDREL_SERVER_SERVICE_HOST',
        'SPANDREL_SERVER_SERVICE_PORT_HTTP',
        'SPANDREL_SERVER_PORT_3000_TCP_ADDR',
        'SPANDREL_SERVER_PORT_3000_TCP',
      ),
    ).toEqual([]);
  });
});

const PATH = join(PACKAGE.root, 'config/default.yaml');

describe('readConfigFile', () => {
  it('reads a file as yaml says it, and knows the lines', () => {
    const { tree, placeOf } = readConfigFile(PATH, []);
    expect(tree).toEqual(parse(readFileSync(PATH, 'utf8')));
    const line = readFileSync(PATH, 'utf8').split('\n').indexOf('mode: local') + 1;
    expect(placeOf(['mode'])).toBe(`${PATH}:${line}`);
  });
});

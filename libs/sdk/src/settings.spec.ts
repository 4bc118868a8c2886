import { afterEach, describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

const VARIABLES = ['SPANDREL_API_URL', 'SPANDREL_API_KEY', 'SPANDREL_GATEWAY_URL', 'SPANDREL_ENABLED'];
afterEach(() => VARIABLES.forEach((name) => delete process.env[name]));

describe('settings', () => {
  it('have defaults', () =>
    expect(readSettings({})).toMatchObject({
      apiUrl: 'http://127.0.0.1:3000',
      apiKey: undefined,
      gatewayUrl: 'http://127.0.0.1:3001',
      isEnabled: true,
      payloadBytes: 1_048_576,
      queueBytes: 33_554_432,
    }));

  it('are read from variables, before which options go', () => {
    Object.assign(process.env, {
      SPANDREL_API_URL: 'https://api.test/base/',
      SPANDREL_API_KEY: 'key',
      SPANDREL_GATEWAY_URL: 'https://gateway.test',
      SPANDREL_ENABLED: 'FALSE',
    });
    expect(readSettings({})).toMatchObject({
      apiUrl: 'https://api.test/base',
      apiKey: 'key',
      gatewayUrl: 'https://gateway.test',
      isEnabled: false,
    });
    const options = { apiUrl: 'http://a.test', apiKey: 'b', gatewayUrl: 'http://c.test', enabled: true };
    const { isEnabled, ...others } = readSettings(options);
    expect({ enabled: isEnabled, ...others }).toMatchObject(options);
  });

  it.each([
    ['http://a.test/api', 'http://a.test'],
    ['http://a.test/api/', 'http://a.test'],
    ['http://a.test/base/api', 'http://a.test/base'],
    ['http://api', 'http://api'],
    ['http://a.test/myapi', 'http://a.test/myapi'],
  ])('take the address of the API for that of the server: %s', (apiUrl, expected) => {
    expect(readSettings({ apiUrl }).apiUrl).toBe(expected);
    process.env['SPANDREL_API_URL'] = apiUrl;
    expect(readSettings({}).apiUrl).toBe(expected);
  });

  it('know no gateway of another server', () =>
    expect(readSettings({ apiUrl: 'https://api.test' }).gatewayUrl).toBeUndefined());

  it.each<[object, string]>([
    [{ apiURL: 'http://a.test' }, 'Spandrel has no option "apiURL"; it has apiUrl, '],
    [{ apiUrl: 'localhost:3000' }, 'apiUrl (SPANDREL_API_URL) must be an http or https URL'],
    [{ apiUrl: 'nonsense' }, 'not "nonsense"'],
    [{ apiUrl: 'http://ada:secret@a.test' }, 'without a user'],
    [{ gatewayUrl: 'ftp://a.test' }, 'gatewayUrl (SPANDREL_GATEWAY_URL)'],
    [{ propagateTo: ['a.test'] }, 'propagateTo must be'],
    [{ propagateTo: 'http://a.test' }, 'propagateTo must be a list'],
    [{ payloadBytes: 10 }, 'payloadBytes must be a whole number of at least 1024'],
    [{ queueBytes: '1MB' }, 'queueBytes must be'],
    [{ enabled: 'no' }, 'enabled must be true or false'],
    [{ mask: /x/ }, 'mask must be a function'],
  ])('that are wrong are refused: %j', (options, message) => expect(() => readSettings(options)).toThrow(message));

  it('show no password in the message', () => {
    expect(() => readSettings({ apiUrl: 'http://ada:secret@a.test' })).toThrow(/^(?!.*secret)/);
  });

  it('that are wrong in a variable are refused', () => {
    process.env['SPANDREL_ENABLED'] = 'off';
    expect(() => readSettings({})).toThrow('SPANDREL_ENABLED must be true or false, not "off"');
  });
});

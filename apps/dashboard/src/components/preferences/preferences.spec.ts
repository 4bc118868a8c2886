import { describe, expect, it } from '@jest/globals';
import { readPreferences } from './preferences.js';

describe('readPreferences', () => {
  it('takes what was chosen', () => {
    const chosen = { theme: 'dark', density: 'comfortable', times: 'utc', singleKeys: false } as const;
    expect(readPreferences(JSON.stringify(chosen))).toEqual(chosen);
  });

  it.each([null, '', 'no JSON', 'null', '[]', '3', '{"theme":"pink","density":1,"times":null,"singleKeys":"no"}'])(
    'has the defaults for %p',
    (text) => {
      expect(readPreferences(text)).toEqual({ theme: 'system', density: 'compact', times: 'local', singleKeys: true });
    },
  );
});

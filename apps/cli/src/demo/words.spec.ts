import { describe, expect, it } from '@jest/globals';
import type { DemoSettings } from './demo-settings.js';
import { whatToOpen } from './demo.js';

const settings: DemoSettings = {
  apiUrl: 'http://127.0.0.1:3000',
  gatewayUrl: 'http://127.0.0.1:3001',
  hasDashboard: true,
  startCommand: 'npm start',
  demoCommand: 'npx spandrel demo',
};

describe('whatToOpen', () => {
  it('names pages where the server has them', () => {
    expect(whatToOpen(settings, 'made')).toContain(
      '    An agent    http://127.0.0.1:3000/traces/spandrel-demo-weather-agent\n',
    );
  });

  it('names nothing but the API where it has none', () => {
    const words = whatToOpen({ ...settings, hasDashboard: false }, 'made');
    expect(words).toContain("curl 'http://127.0.0.1:3000/api/traces/spandrel-demo-weather-agent'\n");
    expect(words.match(/http:\S+/g)!.filter((url) => !/\/(?:api\/|docs$)/.test(url))).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '@spandrel/kernel';
import { banner } from './serve.js';

const inMode = (mode: string): string =>
  banner(loadSettings([], { args: ['--mode', mode], env: {}, cwd: process.cwd() }).core, 3000, 3001);

describe('banner', () => {
  it('shows a command that local mode answers as it stands', () => {
    expect(inMode('local')).toContain('    curl http://127.0.0.1:3000/api/traces\n');
    expect(inMode('local')).not.toContain('spn_sk_');
  });

  it('gives exporters of OpenTelemetry the variable that they read, with the key that cloud mode wants', () => {
    const variable = '    OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:3000\n';
    expect(inMode('local')).toContain(variable);
    expect(inMode('cloud')).toContain(`${variable}    OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20spn_sk_…\n`);
    const alone = banner(loadSettings([], { args: [], env: {}, cwd: process.cwd() }).core, 3000, undefined);
    expect(alone).toContain(variable);
    expect(alone).not.toContain('OPENAI_BASE_URL');
  });

  it('begins with the address of the dashboard, unless that is left out', () => {
    const settings = loadSettings([], { args: [], env: {}, cwd: process.cwd() }).core;
    expect(banner(settings, 3000, 3001)).toMatch(/mode\.\n\n {2}Dashboard +http:\/\/127\.0\.0\.1:3000\n/);
    expect(banner({ ...settings, features: ['events', 'tracing'] }, 3000, 3001)).not.toContain('Dashboard');
  });

  it('says in cloud mode that gateway and API want a key', () => {
    expect(inMode('cloud')).toContain('X-Spandrel-Key: spn_sk_…');
    expect(inMode('cloud')).toContain("/api/traces -H 'Authorization: Bearer spn_sk_…'\n");
  });
});

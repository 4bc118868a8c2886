import { describe, expect, it } from '@jest/globals';
import { createLogger, loadPlugins, type PluginEntry } from '@spandrel/kernel';
import { capabilityOf } from './provider-capabilities.js';

const capabilities = async (...entries: PluginEntry[]) => {
  const { providers } = await loadPlugins(entries, createLogger('silent', 'test'));
  return providers.map(capabilityOf);
};
const use = (name: string, config = {}): PluginEntry => ({ use: name, config });

describe('what a connection of a provider needs', () => {
  it('lists the built-in ones, with the base in the form of `base_url`', async () => {
    expect(await capabilities(use('openai'), use('anthropic'), use('ollama'), use('custom'))).toEqual([
      { name: 'openai', needs_key: true, needs_base_url: false, default_base_url: 'https://api.openai.com/v1' },
      { name: 'anthropic', needs_key: true, needs_base_url: false, default_base_url: 'https://api.anthropic.com' },
      { name: 'ollama', needs_key: false, needs_base_url: false, default_base_url: 'http://localhost:11434' },
      { name: 'custom', needs_key: false, needs_base_url: true, default_base_url: null },
    ]);
  });

  it('follows the config of the plugin', async () => {
    expect(await capabilities(use('custom', { base_url: 'http://127.0.0.1:9' }))).toMatchObject([
      { needs_base_url: false, default_base_url: 'http://127.0.0.1:9/v1' },
    ]);
  });
});

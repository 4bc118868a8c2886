import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { ProviderCapability } from '@spandrel/contract';
import { Capabilities } from '@spandrel/http';
import { PLUGINS, type Named, type PluginRegistry } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import { needsKey } from './change-connections.js';

/** Says which providers connections can have (docs/spec/capabilities.md#the-answer). */
@Injectable()
export class ProviderCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'providers'>,
  ) {}

  onModuleInit(): void {
    const providers = this.plugins.providers.map(capabilityOf);
    this.capabilities.provide('providers', () => providers);
  }
}

/** What a connection of a provider needs. */
export const capabilityOf = ({ name, extension }: Named<Provider>): ProviderCapability => ({
  name,
  needs_key: needsKey(name),
  needs_base_url: extension.defaultBaseUrl === null,
  default_base_url: extension.defaultBaseUrl === null ? null : defaultBaseOf(extension),
});

/** A base that is nowhere: requests are made for it and never sent. */
const SOME_BASE = 'http://base.invalid';

/** The default as a connection's `base_url`: the part before the path that its calls have in common with those of others. */
function defaultBaseOf({ chat, defaultBaseUrl }: Provider): string | null {
  const urlFor = (baseUrl: string | null): string => chat.buildModelsRequest({ baseUrl, apiKey: '' }).url;
  try {
    const path = urlFor(SOME_BASE).slice(SOME_BASE.length);
    const url = urlFor(null);
    return path !== '' && url.endsWith(path) ? url.slice(0, -path.length) : defaultBaseUrl;
  } catch {
    // A plugin that lists no models has no such request.
    return defaultBaseUrl;
  }
}

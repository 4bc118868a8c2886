import { Registry } from '@prometheus-io/client';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Settings } from './config/settings.js';
import { BackgroundTasks } from './lifecycle/periodic-task.js';
import { LOGGER, type Logger } from './log/logger.js';
import { METRICS } from './metrics.js';
import { PLUGINS, type PluginRegistry } from './plugins/plugin-registry.js';

export interface KernelParts {
  settings: Settings;
  plugins: PluginRegistry;
  logger: Logger;
  metrics?: Registry;
}

/** What every feature injects: each class of settings, `PLUGINS`, `LOGGER`, `METRICS` and {@link BackgroundTasks}. */
@Global()
@Module({})
export class KernelModule {
  static forRoot({ settings, plugins, logger, metrics = new Registry() }: KernelParts): DynamicModule {
    const providers = [
      ...settings.providers(),
      { provide: PLUGINS, useValue: plugins },
      { provide: LOGGER, useValue: logger },
      { provide: METRICS, useValue: metrics },
    ];
    const exports = [...providers.map(({ provide }) => provide), BackgroundTasks];
    return { module: KernelModule, providers: [...providers, BackgroundTasks], exports };
  }
}

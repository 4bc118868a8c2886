import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { COMPARED_RUNS_MAX } from '@spandrel/contract';
import { EvalsSettings } from './evals.settings.js';
import { Capabilities } from '@spandrel/http';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';

/** Tells by what runs can be scored, how many can be compared, and whether this server works on any (docs/spec/capabilities.md#the-answer). */
@Injectable()
export class EvalCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly settings: EvalsSettings,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'scorers'>,
  ) {}

  onModuleInit(): void {
    const scorers = this.plugins.scorers.map(({ name, extension, configSchema }) => ({
      name,
      needs_expected: extension.needsExpected,
      config_schema: configSchema,
    }));
    this.capabilities.provide('scorers', () => scorers);
    this.capabilities.provide('compared_runs', () => COMPARED_RUNS_MAX);
    this.capabilities.provide('evals_paused', () => this.settings.paused);
  }
}

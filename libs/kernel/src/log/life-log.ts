import { PACKAGE } from '../package-root.js';
import type { PluginRegistry } from '../plugins/plugin-registry.js';
import type { Logger } from './logger.js';

/** Why a program stops: a signal, the end of `spandrel serve` around it, or a fault that nobody handled. */
export type StopReason = NodeJS.Signals | 'serve' | 'fault';

/** Level of lines about the life of a program; a user of local mode reads the banner instead. */
export const lifeLevel = (mode: 'local' | 'cloud'): 'info' | 'debug' => (mode === 'cloud' ? 'info' : 'debug');

/** A line for each step in the life of a program. Messages and fields are stable (docs/operations.md#logs). */
export class LifeLog {
  private readonly began = performance.now();

  constructor(
    private readonly logger: Logger,
    private readonly mode: 'local' | 'cloud',
  ) {}

  /** Settings and plugins are read; nothing is opened yet. @param features names of the server's; the gateway has none. */
  starting(plugins: PluginRegistry, features?: readonly { name: string }[]): void {
    this.report(
      {
        version: PACKAGE.version,
        mode: this.mode,
        node: process.version,
        ...(features && { features: namesOf(features) }),
        plugins: namesOf(Object.values(plugins).flat()),
      },
      'starting',
    );
  }

  /** The schema is that of this version. @param applied names of the migrations that ran now, in order. */
  migrated(applied: readonly string[], durationMs: number): void {
    this.report({ applied, duration_ms: Math.round(durationMs) }, 'migrations');
  }

  ready(host: string, port: number): void {
    this.report({ host, port, duration_ms: this.sinceStart() }, 'ready');
  }

  stopping(reason: StopReason): void {
    this.report({ reason }, 'stopping');
  }

  stopped(clean: boolean, durationMs: number): void {
    this.report({ clean, duration_ms: Math.round(durationMs), uptime_ms: this.sinceStart() }, 'stopped');
  }

  private report(fields: object, message: string): void {
    this.logger[lifeLevel(this.mode)](fields, message);
  }

  private sinceStart(): number {
    return Math.round(performance.now() - this.began);
  }
}

const namesOf = (parts: readonly { name: string }[]): string[] => [...new Set(parts.map(({ name }) => name))];

/** Leaves a line in the log when something is lost and when it is found again, however often either is reported. */
export class OutageLog {
  private isLost = false;

  constructor(
    private readonly logger: Logger,
    private readonly sentences: { lost: string; found: string },
  ) {}

  lost(error: Error): void {
    if (this.isLost) return;
    this.isLost = true;
    this.logger.warn({ err: error }, this.sentences.lost);
  }

  found(): void {
    if (!this.isLost) return;
    this.isLost = false;
    this.logger.info(this.sentences.found);
  }
}

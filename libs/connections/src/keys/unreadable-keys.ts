import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Registry } from '@prometheus-io/client';
import { BackgroundTasks, LOGGER, METRICS, registerSourceGauges, type Logger } from '@spandrel/kernel';
import { MaskingRulesStore } from '@spandrel/masking';
import { ConnectionStore } from '../connection.store.js';
import { KeyRing, NO_KEY } from './sealing.js';

const EVERY_MS = 30_000;

/** Logs and measures what is sealed with keys that are not here (docs/spec/connections.md#when-a-key-cannot-be-decrypted). */
@Injectable()
export class UnreadableKeys implements OnApplicationBootstrap {
  private readonly connections: UnreadableCount;
  private readonly maskingKeys: UnreadableCount;

  constructor(
    private readonly store: ConnectionStore,
    private readonly maskingRules: MaskingRulesStore,
    private readonly ring: KeyRing,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) registry: Registry,
    tasks: BackgroundTasks,
  ) {
    registerSourceGauges(registry, () => this.lacking(), [
      {
        name: 'spandrel_unreadable_connections',
        help: 'Provider connections whose keys are encrypted with a secret key that this server does not have.',
        samples: ({ connections }) => [{ value: countOf(connections) }],
      },
      {
        name: 'spandrel_unreadable_masking_keys',
        help: 'Projects whose key of masking hashes is encrypted with a secret key that this server does not have.',
        samples: ({ maskingKeys }) => [{ value: countOf(maskingKeys) }],
      },
    ]);
    this.connections = new UnreadableCount(logger, {
      counted: 'connections',
      lacking: `this server cannot read the keys of some provider connections: ${REMEDY}`,
      readable: 'this server can read the keys of all provider connections',
    });
    this.maskingKeys = new UnreadableCount(logger, {
      counted: 'projects',
      lacking: `this server cannot read the keys that some projects have masked values hashed with, and puts labels: ${REMEDY}`,
      readable: 'this server can read all keys that masked values are hashed with',
    });
    tasks.add({
      everyMs: EVERY_MS,
      task: () => this.look(),
      failure:
        'it cannot be found out now whether this server can read the keys that are encrypted with its secret key',
    });
  }

  onApplicationBootstrap(): Promise<void> {
    return this.look();
  }

  private async look(): Promise<void> {
    const { connections, maskingKeys } = await this.lacking();
    this.connections.update(connections);
    this.maskingKeys.update(maskingKeys);
  }

  private async lacking(): Promise<{ connections: Lacking[]; maskingKeys: Lacking[] }> {
    const isLacking = ({ keyId }: { keyId: string }): boolean => keyId !== NO_KEY.keyId && !this.ring.find(keyId);
    const connections = await this.store.countByKey();
    const projects = await this.maskingRules.countByKey();
    return {
      connections: connections.filter(isLacking).map(({ keyId, connections: count }) => ({ keyId, count })),
      maskingKeys: projects.filter(isLacking).map(({ keyId, projects: count }) => ({ keyId, count })),
    };
  }
}

const REMEDY =
  'they are encrypted with another secret key; give it that key as SPANDREL_SECRET_KEY or SPANDREL_SECRET_KEY_PREVIOUS';

interface Lacking {
  keyId: string;
  count: number;
}

const countOf = (lacking: readonly Lacking[]): number => lacking.reduce((sum, { count }) => sum + count, 0);

/** How much of one kind cannot be read: a line in the log when it changes. */
class UnreadableCount {
  private known = 0;

  constructor(
    private readonly logger: Logger,
    private readonly lines: { counted: string; lacking: string; readable: string },
  ) {}

  update(lacking: readonly Lacking[]): void {
    const unreadable = countOf(lacking);
    if (unreadable === this.known) return;
    this.known = unreadable;
    if (unreadable === 0) this.logger.info(this.lines.readable);
    else
      this.logger.error(
        { [this.lines.counted]: unreadable, key_ids: lacking.map(({ keyId }) => keyId) },
        this.lines.lacking,
      );
  }
}

import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { rollupsAreMissing } from './counted-spans.store.js';
import { recountAll } from './recount-rollups.js';
import { lockRollups } from './rollup.store.js';

/** Makes the roll-ups of a database that an earlier version wrote, before the first request is served. */
@Injectable()
export class RebuildAtStart implements OnModuleInit {
  constructor(
    private readonly storage: Storage,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!(await rollupsAreMissing(this.storage))) return;
    this.logger.info('analytics: this database has none yet; counting its traces and spans');
    // Of several instances that start at once the first one does it.
    const recount = await this.storage.write(async (tx) => {
      await lockRollups(tx);
      return (await rollupsAreMissing(tx)) ? recountAll(tx) : null;
    });
    if (recount) this.logger.info({ traces: recount.traces, spans: recount.spans }, 'analytics: counted');
  }
}

import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { findAnyRecords } from '@spandrel/tracing';
import { recountAll } from './recount-rollups.js';
import { haveRollups, lockRollups } from './rollup.sql.js';

/** Makes the roll-ups of a database that an earlier version wrote, before the first request is served. */
@Injectable()
export class RebuildAtStart implements OnModuleInit {
  constructor(
    private readonly storage: Storage,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!(await rollupsAreMissing(this.storage))) return;
    this.logger.info('analytics: this database lacks roll-ups that this version keeps; counting its traces and spans');
    // When several instances start at once the first one counts.
    const recount = await this.storage.write(async (tx) => {
      await lockRollups(tx);
      return (await rollupsAreMissing(tx)) ? recountAll(tx) : null;
    });
    if (recount) this.logger.info({ traces: recount.traces, spans: recount.spans }, 'analytics: counted');
  }
}

/** Whether the database has traces and lacks roll-ups: an earlier version made them. @param on the database, or a transaction. */
async function rollupsAreMissing(on: Storage | WriteTx): Promise<boolean> {
  const { traces, spans } = await findAnyRecords(on);
  if (!traces) return false;
  const have = await haveRollups(on);
  return !have.totals || (spans && !have.minutes);
}

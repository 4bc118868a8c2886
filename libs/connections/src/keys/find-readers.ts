import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { ConnectionStore } from '../connection.store.js';
import { KeyHolders } from './key-holders.js';
import { KeyRing } from './key-ring.js';
import { NO_KEY } from './sealing.js';

/** Finds out which server can read connections (docs/spec/connections.md#servers-with-different-keys). */
@Injectable()
export class FindReaders {
  constructor(
    private readonly store: ConnectionStore,
    private readonly ring: KeyRing,
    private readonly holders: KeyHolders,
  ) {}

  /** Whether this server lacks a key of these connections, and another one that runs has all that are needed. */
  async onlyElsewhere(scope: Scope, connectionIds: readonly string[]): Promise<boolean> {
    const needed = (await this.store.keysOf(scope, connectionIds)).filter((keyId) => keyId !== NO_KEY.keyId);
    if (needed.every((keyId) => this.ring.find(keyId))) return false;
    return this.holders.hasElsewhere(needed);
  }
}

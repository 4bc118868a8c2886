import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';

/** A feature that may hold on to connections. */
export interface ConnectionUse {
  name: string;
  /** Whether something unfinished needs the connection. Asked in the transaction of its delete. */
  isUsed(tx: WriteTx, scope: Scope, connectionId: string): Promise<boolean>;
}

/** Who may hold on to connections: features register at start. */
@Injectable()
export class ConnectionUses {
  private readonly uses: ConnectionUse[] = [];

  register(use: ConnectionUse): void {
    this.uses.push(use);
  }

  async isUsed(tx: WriteTx, scope: Scope, connectionId: string): Promise<boolean> {
    for (const use of this.uses) if (await use.isUsed(tx, scope, connectionId)) return true;
    return false;
  }
}

import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '../transactions/write-tx.js';

/** Refuses by a throw what a project is protected from. */
type Check = (tx: WriteTx, scope: Scope) => Promise<void>;

/**
 * Whether a project may lose much at once (docs/spec/projects.md#protected-projects). Features ask before they delete;
 * `access`, which knows projects, answers. Where it is not loaded, as in local mode, nothing is protected.
 */
@Injectable()
export class ProjectProtection {
  private check: Check | undefined;

  /** @param check is asked from now on. */
  decideBy(check: Check): void {
    this.check = check;
  }

  /**
   * Called in the transaction that deletes: the answer holds until its end.
   * @throws Conflict `project_protected`
   */
  async assertUnprotected(tx: WriteTx, scope: Scope): Promise<void> {
    await this.check?.(tx, scope);
  }
}

import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';

/** Takes along what somebody keeps about a run, in the transaction that deletes it. */
type RunParticipant = (tx: WriteTx, scope: Scope, runId: string) => Promise<void>;

/** Who takes part in the deletion of runs, in the order they registered. */
@Injectable()
export class RunParticipants {
  private readonly participants: RunParticipant[] = [];

  register(participant: RunParticipant): void {
    this.participants.push(participant);
  }

  async beforeDelete(tx: WriteTx, scope: Scope, runId: string): Promise<void> {
    for (const participant of this.participants) await participant(tx, scope, runId);
  }
}

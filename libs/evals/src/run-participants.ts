import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';

/** Takes along what somebody keeps about a run, in the transaction that deletes it. */
type RunParticipant = (tx: WriteTx, scope: Scope, runId: string) => Promise<void>;

/** Hears of a run that has completed, once that is durable; it may be missed where the process ends in that moment. */
type CompletionListener = (scope: Scope, runId: string) => void;

/** Who takes part in the deletion of runs, in the order they registered, and who hears of their end. */
@Injectable()
export class RunParticipants {
  private readonly participants: RunParticipant[] = [];
  private readonly listeners: CompletionListener[] = [];

  register(participant: RunParticipant): void {
    this.participants.push(participant);
  }

  onCompleted(listener: CompletionListener): void {
    this.listeners.push(listener);
  }

  completed(scope: Scope, runId: string): void {
    for (const listener of this.listeners) listener(scope, runId);
  }

  async beforeDelete(tx: WriteTx, scope: Scope, runId: string): Promise<void> {
    for (const participant of this.participants) await participant(tx, scope, runId);
  }
}

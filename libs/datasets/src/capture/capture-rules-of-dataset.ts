import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { CaptureRuleStore } from './capture-rule.store.js';
import { DatasetParticipants, type DatasetParticipant } from '../dataset-participants.js';

/** Deletes the capture rules of a dataset with it (docs/spec/datasets.md#deleting-a-dataset). */
@Injectable()
export class CaptureRulesOfDataset implements DatasetParticipant, OnModuleInit {
  readonly name = 'capture-rules';

  constructor(
    private readonly participants: DatasetParticipants,
    private readonly rules: CaptureRuleStore,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  async beforeDatasetDelete(tx: WriteTx, { scope, datasetId }: { scope: Scope; datasetId: string }): Promise<void> {
    for (const rule of await this.rules.ofDataset(tx, scope, datasetId)) await this.rules.delete(tx, rule);
  }
}

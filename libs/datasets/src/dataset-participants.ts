import { PathId } from '@spandrel/http';
import { Injectable, Param } from '@nestjs/common';
import { type Scope, NotFound } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';

export interface DatapointsDeletion {
  scope: Scope;
  datasetId: string;
  datapointIds: readonly string[];
}

/** Takes part in deletes: anyone who keeps something about a dataset or its datapoints takes it along. */
export interface DatasetParticipant {
  readonly name: string;

  /** Called in the transaction that deletes a dataset, while it and its datapoints are still there. */
  beforeDatasetDelete?(tx: WriteTx, deletion: { scope: Scope; datasetId: string }): Promise<void>;

  /** Called in the transaction that deletes datapoints. */
  beforeDatapointsDelete?(tx: WriteTx, deletion: DatapointsDeletion): Promise<void>;
}

/** Who takes part, in the order they registered. */
@Injectable()
export class DatasetParticipants {
  private readonly participants: DatasetParticipant[] = [];

  register(participant: DatasetParticipant): void {
    this.participants.push(participant);
  }

  async beforeDatasetDelete(tx: WriteTx, deletion: { scope: Scope; datasetId: string }): Promise<void> {
    for (const participant of this.participants) await participant.beforeDatasetDelete?.(tx, deletion);
  }

  async beforeDatapointsDelete(tx: WriteTx, deletion: DatapointsDeletion): Promise<void> {
    for (const participant of this.participants) await participant.beforeDatapointsDelete?.(tx, deletion);
  }
}

export const datasetNotFound = (): NotFound =>
  new NotFound('dataset_not_found', 'there is no dataset with this id; GET /api/datasets lists them');

export const datapointNotFound = (): NotFound =>
  new NotFound('datapoint_not_found', 'there is no datapoint with this id in this dataset');

export const captureRuleNotFound = (): NotFound =>
  new NotFound('capture_rule_not_found', 'there is no capture rule with this id in this dataset');

/** What is said of an id in a body that names no span. */
export const NO_SPAN = 'there is no span with this id';

/** The dataset that a path names. */
export const DatasetId = () => Param('id', new PathId(datasetNotFound));

/** The datapoint that a path names. */
export const DatapointId = () => Param('dp_id', new PathId(datapointNotFound));

/** The capture rule that a path names. */
export const CaptureRuleId = () => Param('rule_id', new PathId(captureRuleNotFound));

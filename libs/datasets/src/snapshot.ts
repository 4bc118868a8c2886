/** A dataset as it was at a version. */
export interface Snapshot {
  datasetId: string;
  version: number;
}

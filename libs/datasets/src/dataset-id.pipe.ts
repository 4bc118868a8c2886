import type { PipeTransform } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import { datapointNotFound, datasetNotFound } from './not-found.js';

/** Ids in paths: one that no column can hold names nothing, and must not reach the database. */
export class DatasetId implements PipeTransform<string> {
  transform(id: string): string {
    if (!isStorableText(id)) throw datasetNotFound();
    return id;
  }
}

export class DatapointId implements PipeTransform<string> {
  transform(id: string): string {
    if (!isStorableText(id)) throw datapointNotFound();
    return id;
  }
}

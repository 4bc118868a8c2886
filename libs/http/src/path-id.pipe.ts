import type { PipeTransform } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import type { NotFound } from '@spandrel/kernel';

/**
 * Lets an id in a path through (`@Param('id', new PathId(traceNotFound))`), unless no column can hold it: such text names
 * nothing, and must not reach the database.
 */
export class PathId implements PipeTransform<string> {
  /** @param notFound makes the error that is thrown then. */
  constructor(private readonly notFound: () => NotFound) {}

  transform(id: string): string {
    if (!isStorableText(id)) throw this.notFound();
    return id;
  }
}

import { lostExportAdvice } from '../addresses/lost-export.js';
import type { Logger } from '@spandrel/kernel';

/**
 * Tells the operator, once a process, that somebody speaks HTTP/2: clients of gRPC cannot read the answer, so that the log
 * is the only place where its user can find out.
 */
export class Http2Notice {
  private isGiven = false;

  constructor(private readonly logger: Logger) {}

  notice(): void {
    if (this.isGiven) return;
    this.isGiven = true;
    this.logger.warn(
      `a client speaks HTTP/2, which is not served, probably an exporter of gRPC: ${lostExportAdvice('grpc')}`,
    );
  }
}

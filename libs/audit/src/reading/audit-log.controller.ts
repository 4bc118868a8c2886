import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import {
  auditEntrySchema,
  auditFilterSchema,
  auditLogSchema,
  formatTimestamp,
  listAuditSchema,
  type AuditFilter,
  type ListAudit,
} from '@spandrel/contract';
import { CurrentCaller, Operation, type Caller, listOf } from '@spandrel/http';
import { AuditLog } from './audit-log.js';

/** `/api/audit-log` (docs/spec/audit.md#routes). */
@Controller('api/audit-log')
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @Operation({
    access: 'admin',
    summary: 'What was administered, deleted, exported and refused in the organization, newest first',
    description: 'The operator of the service sees that of all organizations.',
    answer: auditLogSchema,
  })
  async listAuditLog(@CurrentCaller() { scope }: Caller, @Query({ schema: listAuditSchema }) query: ListAudit) {
    return listOf('entries', await this.log.list(scope?.orgId ?? null, query));
  }

  @Get('export')
  @Operation({
    access: 'admin',
    summary: 'The audit log as a file, an entry a line, oldest first',
    audited: ['audit_log.exported'],
    answer: {
      mediaTypes: ['application/x-ndjson'],
      schema: auditEntrySchema,
      description: 'An entry a line. It ends with what had been written when the last lines were read.',
      attachment: true,
    },
  })
  async exportAuditLog(
    @CurrentCaller() { scope }: Caller,
    @Query({ schema: auditFilterSchema }) filter: AuditFilter,
  ): Promise<StreamableFile> {
    const content = await this.log.export(scope?.orgId ?? null, filter);
    const date = formatTimestamp(Date.now()).slice(0, 10);
    return new StreamableFile(content, {
      type: 'application/x-ndjson',
      disposition: `attachment; filename="spandrel-audit-${date}.jsonl"`,
    });
  }
}

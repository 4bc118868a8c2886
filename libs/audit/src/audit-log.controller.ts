import { Controller, Get, Query } from '@nestjs/common';
import { auditLogSchema, listAccessSchema, type ListAccess } from '@spandrel/contract';
import { CurrentCaller, Operation, type Caller } from '@spandrel/kernel';
import { AuditLog } from './audit-log.js';

/** `/api/audit-log` (docs/spec/audit.md#routes). */
@Controller('api/audit-log')
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @Operation({
    id: 'listAuditLog',
    access: 'admin',
    summary: 'What was administered, deleted, exported and refused in the organization, newest first',
    description: 'The operator of the service sees that of all organizations.',
    answer: auditLogSchema,
  })
  async list(@CurrentCaller() { scope }: Caller, @Query({ schema: listAccessSchema }) query: ListAccess) {
    const { items, nextCursor } = await this.log.list(scope?.orgId ?? null, query);
    return { entries: items, count: items.length, next_cursor: nextCursor };
  }
}

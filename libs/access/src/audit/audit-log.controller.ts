import { Controller, Get, Query } from '@nestjs/common';
import { auditLogSchema, listAccessSchema, type ListAccess } from '@spandrel/contract';
import { Operation } from '@spandrel/kernel';
import { CurrentActor, type Actor } from '../organizations/actor.js';
import { AuditLog } from './audit-log.js';
import { listOf } from '../pages.js';

/** `/api/audit-log`. */
@Controller('api/audit-log')
export class AuditLogController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @Operation({
    id: 'listAuditLog',
    access: 'admin',
    summary: 'Administrative actions in the organization, newest first',
    description: 'The operator of the service sees those in all organizations.',
    answer: auditLogSchema,
  })
  async list(@CurrentActor() actor: Actor, @Query({ schema: listAccessSchema }) query: ListAccess) {
    return listOf('entries', await this.log.list(actor, query));
  }
}

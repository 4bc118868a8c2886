import { Injectable } from '@nestjs/common';
import { PLAN_DAYS, type Plan } from '@spandrel/contract';
import type { RetentionPolicy, RetentionTerm } from '@spandrel/kernel';
import { shapeOf, Storage, text } from '@spandrel/storage';

const PLAN = shapeOf({ plan: text<Plan>() });
const TERM = shapeOf({ projectId: text(), orgId: text(), plan: text<Plan>() });

/** How long traces and spans of each project are kept: as the plan of its organization says. */
@Injectable()
export class RetentionPolicyStore implements RetentionPolicy {
  constructor(private readonly storage: Storage) {}

  async terms(): Promise<RetentionTerm[]> {
    const rows = await this.storage.readLong(
      TERM.query`select p.id as "projectId", o.id as "orgId", o.plan as plan from project p join organization o on o.id = p.org_id order by p.id`,
    );
    return rows.map(({ projectId, orgId, plan }) => ({ projectId, orgId, plan, days: PLAN_DAYS[plan] }));
  }

  /** Days that the traces of an organization's projects are kept; `null` when there is none with this id. */
  async daysOf(orgId: string): Promise<number | null> {
    const [row] = await this.storage.read(PLAN.query`select o.plan as plan from organization o where o.id = ${orgId}`);
    return row ? PLAN_DAYS[row.plan] : null;
  }
}

import { Injectable } from '@nestjs/common';
import type { Plan } from '@spandrel/contract';
import type { RetentionPolicy, RetentionTerm, Scope } from '@spandrel/kernel';
import { integer, nullable, shapeOf, sql, Storage, text, type RowOfShape, type Sql } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';

/** `OrganizationRow.retentionDays` of an organization whose traces are kept for ever. */
export const FOR_EVER = 0;

/** What says how long an organization's traces are kept: its plan, and days that the operator gave it. */
export interface OrganizationRetention {
  plan: string;
  retentionDays: number | null;
}

/** Days that each plan keeps traces and spans. */
export const planDays = ({
  starterDays,
  teamDays,
  enterpriseDays,
}: Pick<AccessSettings, 'starterDays' | 'teamDays' | 'enterpriseDays'>): Record<Plan, number> => ({
  starter: starterDays,
  team: teamDays,
  enterprise: enterpriseDays,
});

/** Days that an organization's traces are kept; `null`: for ever. */
export function organizationDays(
  days: Readonly<Record<Plan, number>>,
  { plan, retentionDays }: OrganizationRetention,
): number | null {
  if (retentionDays === FOR_EVER) return null;
  return retentionDays ?? days[plan as Plan];
}

/** Days that a project's traces are kept: its own, but no longer than its organization keeps them. */
export function projectDays(ofOrganization: number | null, own: number | null): number | null {
  if (own === null || ofOrganization === null) return own ?? ofOrganization;
  return Math.min(own, ofOrganization);
}

const TERM = shapeOf({
  ...{ projectId: text(), orgId: text(), plan: text<Plan>() },
  ...{ ofOrganization: nullable(integer()), ofProject: nullable(integer()) },
});

/** How long traces and spans of each project are kept (docs/spec/limits.md#retention). */
@Injectable()
export class RetentionPolicyStore implements RetentionPolicy {
  private readonly planDays;

  constructor(
    private readonly storage: Storage,
    settings: AccessSettings,
  ) {
    this.planDays = planDays(settings);
  }

  async terms(): Promise<RetentionTerm[]> {
    const rows = await this.storage.readLong(termsWhere(sql`p.deleting_at is null`));
    return rows.flatMap((row) => {
      const { projectId, orgId, plan } = row;
      const days = this.daysOfRow(row);
      return days === null ? [] : { projectId, orgId, plan: days === this.planDays[plan] ? plan : null, days };
    });
  }

  /** Days that the traces of a project are kept; `null`: for ever, or there is no such project. */
  async daysOf({ orgId, projectId }: Scope): Promise<number | null> {
    const [row] = await this.storage.read(termsWhere(sql`p.id = ${projectId} and p.org_id = ${orgId}`));
    return row ? this.daysOfRow(row) : null;
  }

  private daysOfRow({ plan, ofOrganization, ofProject }: RowOfShape<typeof TERM>): number | null {
    return projectDays(organizationDays(this.planDays, { plan, retentionDays: ofOrganization }), ofProject);
  }
}

const termsWhere = (condition: Sql) =>
  TERM.query`select p.id as "projectId", o.id as "orgId", o.plan as plan, o.retention_days as "ofOrganization",
      p.retention_days as "ofProject"
    from project p join organization o on o.id = p.org_id where ${condition} order by p.id`;

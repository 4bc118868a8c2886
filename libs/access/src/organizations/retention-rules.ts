import type { Plan } from '@spandrel/contract';
import type { AccessSettings } from '../access.settings.js';

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

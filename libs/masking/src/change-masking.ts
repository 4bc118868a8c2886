import { Inject, Injectable } from '@nestjs/common';
import type { MaskingRule, PutMasking } from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { PLUGINS, type PluginRegistry, type Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { completeRules } from './complete-rules.js';
import { HashKeys } from './hash-keys.js';
import { hashes, rulesOf } from './masking-resource.js';
import type { MaskingRulesRow } from './masking-rules.entity.js';
import { MaskingRulesStore } from './masking-rules.store.js';
import { ProjectMasking } from './project-masking.js';

const NO_RULES = '[]';

/** `PUT /api/projects/:id/masking`: replaces the rules of a project. */
@Injectable()
export class ChangeMasking {
  constructor(
    private readonly storage: Storage,
    private readonly store: MaskingRulesStore,
    @Inject(ProjectMasking) private readonly masking: Pick<ProjectMasking, 'changed'>,
    private readonly audit: AuditTrail,
    @Inject(PLUGINS) private readonly plugins: Pick<PluginRegistry, 'maskers'>,
    @Inject(HashKeys) private readonly keys: Pick<HashKeys, 'isUnreadable'>,
  ) {}

  /** @throws Invalid for a rule that no masker takes. */
  async execute(scope: Scope, { rules: given }: PutMasking): Promise<MaskingRulesRow> {
    const { orgId, projectId } = scope;
    const rules = await completeRules(given, this.plugins.maskers);
    const updatedAt = Date.now();
    const row = await this.storage.write(async (tx) => {
      const before = await this.store.lock(tx, { projectId, rules: NO_RULES, updatedAt });
      // A key that nobody can read any more goes with the last rule that hashes; the next such rule has a new one.
      const forgotten = !hashes(rules) && this.keys.isUnreadable(before) ? { keyId: '', sealedKey: '' } : {};
      const after = { ...before, ...forgotten, rules: JSON.stringify(rules), updatedAt };
      if (before.rules === after.rules) return before;
      await this.store.update(tx, after);
      const details = { rules: { from: rulesOf(before).map(summaryOf), to: rules.map(summaryOf) } };
      this.audit.record(tx, { action: 'project.masking_changed', orgId, projectId, targetId: projectId, details });
      return after;
    });
    this.masking.changed(projectId);
    return row;
  }
}

/** A rule in one line; patterns stay out of the audit log, as they may hold what they look for. */
const summaryOf = ({ masker, label, fields, replace }: MaskingRule): string =>
  `${masker} as ${replace} "${label}" in ${fields.join(', ')}`;

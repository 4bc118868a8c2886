import { setImmediate as nextTurn } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type MaskingRule,
  type PutMasking,
  MASKED_FIELDS,
  type FieldError,
  type MaskingPreview,
  type PreviewMasking,
  type MaskingResource,
} from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { PLUGINS, type PluginRegistry, type Scope, invalidRequest, type LoadedMasker } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { HashKeys, ProjectMasking } from './project-masking.js';
import { hashes, rulesOf, maskingResource } from './masking-resource.js';
import type { MaskingRulesRow } from './masking-rules.entity.js';
import { MaskingRulesStore } from './masking-rules.store.js';
import { finderOf, type GivenRule } from './engine/prepare-rules.js';
import type { MaskingRecipe } from './engine/masking.js';

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

/** Steps that all rules of a project may take for a character of a text: five patterns of the largest size. */
const STEPS_MAX = 10_000;

/**
 * Rules with nothing left out, as they are stored and shown. A pattern may take milliseconds to compile: others have their turn
 * between two.
 * @throws Invalid naming every fault: an unknown masker, a config that its schema or the masker itself refuses, too much work.
 */
async function completeRules(given: readonly GivenRule[], maskers: readonly LoadedMasker[]): Promise<MaskingRule[]> {
  const faults: FieldError[] = [];
  const rules: MaskingRule[] = [];
  let steps = 0;
  for (const [index, rule] of given.entries()) {
    if (index > 0) await nextTurn();
    const made = finderOf(rule, maskers);
    if ('faults' in made) {
      faults.push(...made.faults.map(({ path, message }) => ({ path: `rules[${index}].${path}`, message })));
      continue;
    }
    steps += made.finder.work ?? 1;
    const { masker, fields, replace, label, config } = rule;
    const chosen = MASKED_FIELDS.filter((field) => fields?.includes(field) ?? true);
    rules.push({ masker, fields: chosen, replace, label: label ?? made.masker.extension.label, config: config ?? {} });
  }
  if (steps > STEPS_MAX) {
    faults.push({
      path: 'rules',
      message: `have ${steps} steps together, and may have ${STEPS_MAX}; use smaller patterns`,
    });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return rules;
}

/** Shows what rules make of a text, which is kept nowhere. */
@Injectable()
export class PreviewRules {
  /** Not the project's: who reads its hashes could have guesses hashed here and compare. */
  private readonly hashKey: MaskingRecipe['hashKey'] = { kind: 'project', key: randomBytes(32).toString('base64url') };

  constructor(
    private readonly store: MaskingRulesStore,
    private readonly masking: ProjectMasking,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** @throws Invalid for rules that could not be stored either. */
  async execute(projectId: string, { text, field, rules: given }: PreviewMasking): Promise<MaskingPreview> {
    const rules = given ? await completeRules(given, this.plugins.maskers) : rulesOf(await this.store.find(projectId));
    const masked = await this.masking.try(projectId, { rules, hashKey: this.hashKey }, field, text);
    return { text: masked.text, found: [...masked.found] };
  }
}

/**
 * What the routes of masking do, for the command line; `put` throws Invalid for a rule that no masker takes.
 * @param maskers those of the settings.
 */
export function maskingCommands(storage: Storage, trail: AuditTrail, maskers: readonly LoadedMasker[]) {
  const store = new MaskingRulesStore(storage);
  // Servers look at the rules again by themselves; whether they can read a key is not known here.
  const [changes, keys] = [{ changed: () => undefined }, { isUnreadable: () => false }];
  const change = new ChangeMasking(storage, store, changes, trail, { maskers }, keys);
  return {
    read: async (projectId: string): Promise<MaskingResource> =>
      maskingResource(projectId, await store.find(projectId), maskers),
    put: async (scope: Scope, body: PutMasking): Promise<MaskingResource> =>
      maskingResource(scope.projectId, await change.execute(scope, body), maskers),
  };
}

export type MaskingCommands = ReturnType<typeof maskingCommands>;

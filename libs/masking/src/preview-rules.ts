import { Inject, Injectable } from '@nestjs/common';
import type { MaskingPreview, PreviewMasking } from '@spandrel/contract';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';
import { completeRules } from './complete-rules.js';
import { Masking } from './engine/masking.js';
import type { PreparedRule } from './engine/prepare-rules.js';
import { rulesOf } from './masking-resource.js';
import { MaskingRulesStore } from './masking-rules.store.js';

/** Shows what rules make of a text, which is kept nowhere. */
@Injectable()
export class PreviewRules {
  constructor(
    private readonly store: MaskingRulesStore,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** @throws Invalid for rules that could not be stored either. */
  async execute(projectId: string, { text, field, rules: given }: PreviewMasking): Promise<MaskingPreview> {
    const row = await this.store.find(projectId);
    const { maskers } = this.plugins;
    const rules = given ? completeRules(given, maskers) : rulesOf(row);
    const found = new Map<string, MaskingPreview['found'][number]>();
    const onReplaced = ({ masker, label }: PreparedRule): void => {
      const name = `${masker} ${label}`;
      const count = (found.get(name)?.count ?? 0) + 1;
      found.set(name, { masker, label, count });
    };
    // A project that never had rules has no key yet: what its hashes will look like is shown by another one.
    const hashKey = Buffer.from(row?.hashKey ?? '', 'base64url');
    const masking = new Masking(rules, maskers, { hashKey, onReplaced, onFailure: () => undefined });
    return { text: masking.text(text, field), found: [...found.values()] };
  }
}

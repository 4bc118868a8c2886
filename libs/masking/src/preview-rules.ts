import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { MaskingPreview, PreviewMasking } from '@spandrel/contract';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';
import { completeRules } from './complete-rules.js';
import { Masking } from './engine/masking.js';
import type { PreparedRule } from './engine/prepare-rules.js';
import { ProjectHashes } from './engine/value-hashes.js';
import { rulesOf } from './masking-resource.js';
import { MaskingRulesStore } from './masking-rules.store.js';

/** Shows what rules make of a text, which is kept nowhere. */
@Injectable()
export class PreviewRules {
  /** Not the project's: who reads its hashes could have guesses hashed here and compare. */
  private readonly hashes = new ProjectHashes(randomBytes(32));

  constructor(
    private readonly store: MaskingRulesStore,
    @Inject(PLUGINS) private readonly plugins: PluginRegistry,
  ) {}

  /** @throws Invalid for rules that could not be stored either. */
  async execute(projectId: string, { text, field, rules: given }: PreviewMasking): Promise<MaskingPreview> {
    const { maskers } = this.plugins;
    const rules = given ? completeRules(given, maskers) : rulesOf(await this.store.find(projectId));
    const found = new Map<string, MaskingPreview['found'][number]>();
    const onReplaced = ({ masker, label }: PreparedRule): void => {
      const name = `${masker} ${label}`;
      const count = (found.get(name)?.count ?? 0) + 1;
      found.set(name, { masker, label, count });
    };
    const masking = new Masking(rules, maskers, { hashes: this.hashes, onReplaced, onFailure: () => undefined });
    return { text: masking.text(text, field), found: [...found.values()] };
  }
}

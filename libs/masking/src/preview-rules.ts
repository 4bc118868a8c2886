import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { MaskingPreview, PreviewMasking } from '@spandrel/contract';
import { PLUGINS, type PluginRegistry } from '@spandrel/kernel';
import { completeRules } from './complete-rules.js';
import type { MaskingRecipe } from './engine/masking-recipe.js';
import { rulesOf } from './masking-resource.js';
import { MaskingRulesStore } from './masking-rules.store.js';
import { ProjectMasking } from './project-masking.js';

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

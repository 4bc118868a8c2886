import { NAME_LENGTH_MAX, type EvalConfigResource, type StartEval, type StartMatrix } from '@spandrel/contract';

export interface PlannedStart {
  body: StartEval;
  /** The name, where that has more than the request says. */
  name?: (config: EvalConfigResource) => string;
}

/** The runs of a request for several: one for each model with each prompt. */
export function listRuns({ models, prompts, ...common }: StartMatrix): PlannedStart[] {
  const runs: PlannedStart[] = [];
  for (const model of models ?? [undefined]) {
    for (const [index, prompt] of (prompts ?? [undefined]).entries()) {
      const { name: promptName, ...texts } = prompt ?? {};
      const overModel = typeof model === 'string' ? { model } : model;
      const config = {
        ...common.config,
        ...(overModel && {
          model: overModel.model,
          connection_id: overModel.connection_id ?? common.config?.connection_id,
        }),
        ...(prompt && { system_prompt: null, messages: null, ...texts }),
      };
      runs.push({
        body: { ...common, config, id: common.id ? `${common.id}.${runs.length + 1}` : null },
        name: (completed) => {
          const parts = [common.name, models && completed.model, prompt && (promptName ?? `prompt ${index + 1}`)];
          return parts
            .filter((part) => typeof part === 'string')
            .join(', ')
            .slice(0, NAME_LENGTH_MAX)
            .toWellFormed();
        },
      });
    }
  }
  return runs;
}

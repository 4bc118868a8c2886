import { Injectable } from '@nestjs/common';
import type { EvalConfigResource, FieldError } from '@spandrel/contract';
import { DatasetSnapshots, DatasetStore } from '@spandrel/datasets';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import { createPrompt, findPromptFaults, hasValue, listMembers } from './prompt.js';

const PAGE = 200;

/** Messages as a request has them. */
export interface GivenPrompt {
  messages: EvalConfigResource['messages'] | null | undefined;
  /** Where they stand in the request: `config.messages`. */
  at: string;
}

/** Looks whether prompts can be sent for all datapoints of a run, before any call is made. */
@Injectable()
export class CheckPrompts {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * @param ids of the datapoints that the run takes; `null` or left out: all.
   * @returns a fault for each variable that some of the datapoints have no value for, with their number.
   * @throws Invalid for messages that are none, such as unknown variables.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    prompts: readonly GivenPrompt[],
    ids?: readonly string[] | null,
  ): Promise<FieldError[]> {
    const given = prompts.flatMap(({ messages, at }) => (messages ? { messages, at } : []));
    const faults = given.flatMap(({ messages, at }) => findPromptFaults(messages, at));
    if (faults.length > 0) throw invalidRequest(faults);
    const members = given.flatMap(({ messages, at }) =>
      listMembers(createPrompt({ messages, system_prompt: null })).map(({ variable, index }) => ({
        ...{ variable, path: `${at}[${index}].content`, lacking: 0 },
      })),
    );
    const dataset = members.length === 0 ? null : await this.datasets.find(scope, datasetId);
    if (!dataset) return [];
    const snapshot = { datasetId, version: dataset.version };
    const taken = ids && new Set(ids);
    let total = 0;
    for (let after = ''; ;) {
      const page = await this.snapshots.after(scope, snapshot, after, PAGE);
      for (const { kind } of page.filter(({ id }) => taken?.has(id) ?? true)) {
        total++;
        for (const member of members) if (!hasValue(kind, member.variable)) member.lacking++;
      }
      if (page.length === 0) break;
      after = page.at(-1)!.id;
    }
    return members
      .filter(({ lacking }) => lacking > 0)
      .map(({ variable, path, lacking }) => ({
        path,
        message: `names {{${variable.name}}}, which ${lacking} of the ${total} datapoints ${lacking === 1 ? 'does' : 'do'} not have`,
      }));
  }
}

import type { CallerApi } from '@spandrel/http';
import type { JsonSchema } from '../arguments/argument-schema.js';
import type { Tool } from '../tools/tool.js';

/** A tool as MCP lists it. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object' } & JsonSchema;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** The tools of this server, and which of them a caller gets. */
export class ToolCatalog {
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor(private readonly tools: readonly Tool[]) {
    this.byName = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** The tool of a name, if there is one and the caller may use it. */
  find(name: string, api: CallerApi): Tool | undefined {
    const tool = this.byName.get(name);
    return tool && mayUse(tool, api) ? tool : undefined;
  }

  /** The tools that a caller may use. */
  async list(api: CallerApi): Promise<ListedTool[]> {
    const mine = this.tools.filter((tool) => mayUse(tool, api));
    const available = await Promise.all(mine.map(async (tool) => (await tool.isAvailable?.(api)) ?? true));
    return mine.filter((_tool, index) => available[index]).map(listed);
  }
}

const mayUse = ({ operations }: Tool, api: CallerApi): boolean => operations.every((operation) => api.may(operation));

const listed = ({ name, title, description, inputSchema, writes, idempotent, openWorld }: Tool): ListedTool => ({
  name,
  title,
  description,
  inputSchema: { type: 'object', ...inputSchema },
  annotations: {
    readOnlyHint: !writes,
    destructiveHint: false,
    idempotentHint: !writes || idempotent === true,
    openWorldHint: openWorld === true,
  },
});

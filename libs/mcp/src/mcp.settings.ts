import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';

export class McpSettings extends defineSettings({
  write: setting('mcp.write', z.boolean(), {
    default: false,
    doc: 'Whether agents that connect by MCP may write: datasets, datapoints, eval runs (which spend money), reviews. Reading is always offered; nothing deletes.',
  }),
}) {}

import { defineFeature } from '@spandrel/kernel';
import { McpModule } from './mcp.module.js';
import { McpSettings } from './mcp.settings.js';

export const mcpFeature = defineFeature({
  name: 'mcp',
  tag: { name: 'MCP', description: 'Tools for agents, by the Model Context Protocol.' },
  module: McpModule,
  entities: [],
  settings: [McpSettings],
  requires: [],
});

import { Module } from '@nestjs/common';
import { McpController } from './http/mcp.controller.js';
import { CallTool } from './serving/call-tool.js';
import { McpServing } from './serving/mcp-serving.js';
import { defineFeature } from '@spandrel/kernel';
import { McpSettings } from './mcp.settings.js';

/** `POST /mcp`: the API as tools for agents, each called in the name and with the rights of the caller. */
@Module({ controllers: [McpController], providers: [CallTool, McpServing] })
class McpModule {}

export const mcpFeature = defineFeature({
  name: 'mcp',
  tag: { name: 'MCP', description: 'Tools for agents, by the Model Context Protocol.' },
  module: McpModule,
  entities: [],
  settings: [McpSettings],
  requires: [],
});

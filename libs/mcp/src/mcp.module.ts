import { Module } from '@nestjs/common';
import { McpController } from './http/mcp.controller.js';
import { CallTool } from './serving/call-tool.js';
import { McpServing } from './serving/mcp-serving.js';

/** `POST /mcp`: the API as tools for agents, each called in the name and with the rights of the caller. */
@Module({ controllers: [McpController], providers: [CallTool, McpServing] })
export class McpModule {}

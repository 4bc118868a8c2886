export { mcpFeature } from './mcp.module.js';
export { McpSettings } from './mcp.settings.js';

export { mcpFeature } from './mcp.feature.js';
export { McpSettings } from './mcp.settings.js';

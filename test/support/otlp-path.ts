const OTLP = /^(?:(?:\/api\/otel)?\/v1\/(?:traces|logs|metrics)|(?:\/api\/public)?\/otel\/v1\/traces)\/?$/;

/**
 * Whether a path is one of OTLP's, which take credentials in other ways, any query parameter, and answer errors in a form of
 * their own.
 */
export const isOtlpPath = (path: string): boolean => OTLP.test(path.split('?', 1)[0]!);

/** Whether a path speaks a protocol of others: OTLP, or the Model Context Protocol. Errors there are in that protocol's form. */
export const isThirdPartyPath = (path: string): boolean => isOtlpPath(path) || /^\/mcp\/?(?:$|\?)/.test(path);

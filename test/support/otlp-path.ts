const OTLP = /^(?:(?:\/api\/otel)?\/v1\/(?:traces|logs|metrics)|(?:\/api\/public)?\/otel\/v1\/traces)\/?$/;

/**
 * Whether a path is one of OTLP's, which take credentials in other ways, any query parameter, and answer errors in a form of
 * their own.
 */
export const isOtlpPath = (path: string): boolean => OTLP.test(path.split('?', 1)[0]!);

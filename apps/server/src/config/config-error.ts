/** A setting that cannot be used. The message says which one, where it was given, and what would be valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

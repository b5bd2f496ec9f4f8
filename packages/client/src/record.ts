/** The properties of a value that may be anything; none if it is no object. */
export function recordOf(value: unknown): Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>) : {};
}

/** The parsed spec as a module. Its keys are sorted, so that only a change of meaning changes it. */
export function documentModule(header: string, spec: object): string {
  return `${header}

/** The whole spec. What shows it to people reads spec/openapi.yaml, which has its order. */
export const openApiDocument: object = ${JSON.stringify(sorted(spec), null, 2)};
`;
}

/** The same value with the keys of all its objects sorted. */
export function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])])) as T;
}
